/** Exit codes of `realmc`; `internal`: it contradicts itself, which is a mistake of its own. */
export const exit = { ok: 0, diagnostics: 1, usage: 2, internal: 70 } as const;

export type ExitCode = (typeof exit)[keyof typeof exit];

/** The command line asks for something that cannot be; the message says what. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
