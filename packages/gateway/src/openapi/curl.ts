/**
 * A shell function that signs and sends a request with openssl and curl. GNU `date` gives a nonce
 * in nanoseconds; on macOS use `gdate` of coreutils.
 */
export const SIGN_IN_SHELL = `cc() { # cc METHOD PATH [MEMBERS AS JSON]
  members=\${3:-"{}"}; [ "$members" = "{}" ] && members="}" || members=",\${members#?}"
  payload=$(printf '{"request":"%s","nonce":%s%s' "\${2%%\\?*}" "$(date +%s%N)" "$members" | openssl base64 -A)
  signature=$(printf %s "$payload" | openssl dgst -sha256 -hmac "$SECRET" -hex | sed 's/^.* //')
  curl -sS -X "$1" "$URL$2" -H "X-CC-KEY: $KEY" -H "X-CC-PAYLOAD: $payload" -H "X-CC-SIGNATURE: $signature"
}`;

/** One request as a command line for that function, `cc`. */
export function curlLine(method: string, path: string, members: unknown): string {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => `<${name.toUpperCase()}>`);
  const quoted = /[<>]/.test(url) ? `'${url}'` : url;
  return [
    'cc',
    method,
    quoted,
    ...(members === undefined
      ? []
      : [`'${JSON.stringify(members).replaceAll("'", String.raw`'\''`)}'`]),
  ].join(' ');
}
