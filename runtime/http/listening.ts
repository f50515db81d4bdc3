/**
 * What hinders listening, for people.
 * @param port What sets the port, for example `PORT`.
 * @param holder Who listens there, where that is known.
 */
export function listenFailure(
  host: string,
  number: number,
  error: unknown,
  port: string,
  holder = "something else",
): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  const setting = code in ofHosts ? "HOST" : port;
  const known = code === "EADDRINUSE" ? `${holder} listens there` : (ofHosts[code] ?? ofPorts[code]);
  const reason = known ?? (error instanceof Error ? error.message : String(error));
  return `cannot listen on ${host}:${number} (${code}): ${reason} (choose another: ${setting})`;
}

const ofHosts: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such host",
};

const ofPorts: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
};
