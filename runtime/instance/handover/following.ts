/**
 * `realmc serve` follows the servers that take over from that which it started: all of them have one end of a pipe, into
 * which each writes when it serves and how it ends. When the last one has ended, the pipe does.
 */
import { writeSync } from "node:fs";

const name = "REALMC_FOLLOWER";

/** A line in the pipe. */
export type Followed =
  | { readonly serving: number }
  /** Exit code. */
  | { readonly ended: number };

/** The descriptor of the pipe, where somebody follows. */
export function following(): number | undefined {
  const descriptor = Number(process.env[name]);
  return Number.isInteger(descriptor) && descriptor > 2 ? descriptor : undefined;
}

/** What tells a process where its end of the pipe is. */
export function followed(follower: number | undefined, descriptor: number): Readonly<Record<string, string>> {
  return follower === undefined ? {} : { [name]: String(descriptor) };
}

/** This process serves, in place of that which started it, and will say how it ends. */
export function tellFollower(): void {
  const descriptor = following();
  if (descriptor === undefined) return;
  write(descriptor, { serving: process.pid });
  process.on("exit", (code) => write(descriptor, { ended: code }));
}

function write(descriptor: number, line: Followed): void {
  try {
    writeSync(descriptor, `${JSON.stringify(line)}\n`);
  } catch {
    // Who followed is gone.
  }
}
