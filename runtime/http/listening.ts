/**
 * What hinders listening, for people.
 * @param port What sets the port, for example `PORT`.
 */
export function listenFailure(host: string, number: number, error: unknown, port: string): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  const setting = code in ofHosts ? "HOST" : port;
  const reason = ofHosts[code] ?? ofPorts[code] ?? (error instanceof Error ? error.message : String(error));
  return `cannot listen on ${host}:${number} (${code}): ${reason} (choose another: ${setting})`;
}

const ofHosts: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such host",
};

const ofPorts: Readonly<Record<string, string>> = {
  EADDRINUSE: "something else listens there",
  EACCES: "permission denied",
};
