import { connect, type Socket } from 'node:net';

export interface ZmqOptions {
  /** Such as `tcp://127.0.0.1:28332`. */
  url: string;
  /** Messages whose first part begins with one of them. */
  topics: readonly string[];
  onMessage: () => void;
  /** Default: a timer. Returns the function that ends it. */
  startTimer?: (ms: number, work: () => void) => () => void;
}

/** Reconnects wait this long at first, and twice as long each time. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** The system probes a silent connection after this time, and closes it when the peer is gone. */
const KEEP_ALIVE_MS = 60_000;

const timer = (ms: number, work: () => void): (() => void) => {
  const id = setTimeout(work, ms).unref();
  return () => clearTimeout(id);
};

/**
 * Subscribes to a publisher of ZeroMQ (ZMTP 3.0, mechanism NULL, socket type SUB), and calls back
 * for each message without its content. A lost connection is opened again. Returns the function
 * that ends it.
 */
export function subscribeZmq({
  url,
  topics,
  onMessage,
  startTimer = timer,
}: ZmqOptions): () => void {
  const { hostname, port } = new URL(url);
  let socket: Socket | null = null;
  let endPause: (() => void) | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  let isEnded = false;

  function open(): void {
    const own = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    const subscriptions = Buffer.concat(topics.map(subscribe));
    let isReady = false;
    const read = createReader({
      onGreeting: () => own.write(READY),
      onCommand() {
        // The first command is READY; later ones are heartbeats.
        if (!isReady) own.write(subscriptions);
        isReady = true;
      },
      onTopic(topic) {
        pauseMs = FIRST_PAUSE_MS;
        if (topics.some((wanted) => topic.startsWith(wanted))) onMessage();
      },
    });
    socket = own;
    own.setKeepAlive(true, KEEP_ALIVE_MS).unref();
    // Each step follows the publisher's own: libzmq ends a connection that sends all of them at
    // once.
    own.on('connect', () => own.write(GREETING));
    own.on('data', (chunk: Buffer) => {
      if (!read(chunk)) own.destroy();
    });
    // `close` follows every error.
    own.on('error', () => {});
    own.on('close', () => {
      if (isEnded) return;
      endPause = startTimer(pauseMs, open);
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    });
  }

  open();
  return () => {
    isEnded = true;
    endPause?.();
    socket?.destroy();
  };
}

/** ZMTP 3.0, "Greeting": signature, version, mechanism, and no server. */
const GREETING_BYTES = 64;
const GREETING = Buffer.alloc(GREETING_BYTES);
GREETING.set([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0]);
GREETING.write('NULL', 12, 'latin1');
const MAJOR_VERSION_AT = 10;

const MORE = 1;
const LONG = 2;
const COMMAND = 4;

const short = (flags: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.of(flags, body.length), body]);

const READY = short(
  COMMAND,
  Buffer.concat([
    Buffer.from('\x05READY\x0bSocket-Type', 'latin1'),
    Buffer.from('\0\0\0\x03SUB', 'latin1'),
  ]),
);

/** The subscription of ZMTP 3.0, which later versions accept. */
const subscribe = (topic: string): Buffer => short(0, Buffer.from(`\x01${topic}`, 'latin1'));

/** Topics are short; other parts, such as whole blocks, are skipped. */
const MAX_TOPIC = 32;
const MAX_FRAME = 64 * 1024 * 1024;

interface ReaderOptions {
  onGreeting: () => void;
  onCommand: () => void;
  onTopic: (topic: string) => void;
}

/** Reads a stream of frames. The reader returns false when the stream is not ZMTP 3 or newer. */
function createReader({
  onGreeting,
  onCommand,
  onTopic,
}: ReaderOptions): (chunk: Buffer) => boolean {
  let rest = Buffer.alloc(0);
  let hasGreeting = false;
  let skip = 0;
  let isContinued = false;

  /** Takes one frame's head and topic. @returns whether there may be more to read */
  function takeFrame(): boolean {
    const [flags = 0] = rest;
    const headBytes = (flags & LONG) === 0 ? 2 : 9;
    if (rest.length < headBytes) return false;
    const length = headBytes === 2 ? rest[1]! : Number(rest.readBigUInt64BE(1));
    if (length > MAX_FRAME) throw new RangeError('A frame is too long');
    const isCommand = (flags & COMMAND) !== 0;
    const isTopic = !isCommand && !isContinued;
    const kept = isTopic ? Math.min(length, MAX_TOPIC) : 0;
    if (rest.length < headBytes + kept) return false;
    if (isTopic) onTopic(rest.toString('latin1', headBytes, headBytes + kept));
    if (isCommand) onCommand();
    else isContinued = (flags & MORE) !== 0;
    skip = length - kept;
    rest = rest.subarray(headBytes + kept);
    return true;
  }

  function takeSkipped(): boolean {
    const taken = Math.min(skip, rest.length);
    rest = rest.subarray(taken);
    skip -= taken;
    return skip === 0 && rest.length > 0;
  }

  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    if (!hasGreeting) {
      if (rest.length < GREETING_BYTES) return rest[0] === GREETING[0];
      if (rest[0] !== GREETING[0] || rest[MAJOR_VERSION_AT]! < 3) return false;
      hasGreeting = true;
      onGreeting();
      rest = rest.subarray(GREETING_BYTES);
    }
    try {
      while (takeSkipped() && takeFrame());
      return true;
    } catch {
      return false;
    }
  };
}
