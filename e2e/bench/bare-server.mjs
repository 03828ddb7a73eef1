// The minimum that Node can do: one prepared answer.
import { createServer } from 'node:http';

const [, , port, text] = process.argv;
const body = Buffer.from(text);
const headers = { 'content-type': 'application/json', 'content-length': body.length };
createServer((_, response) => {
  response.writeHead(200, headers);
  response.end(body);
}).listen(Number(port), '127.0.0.1');
