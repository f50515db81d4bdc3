import type { Detail } from "../../errors.ts";
import type { JsonBody } from "../../http/body.ts";
import { type Incoming, NoDocument, type Reject } from "./incoming.ts";

/** What an input holds, and is not imported; the message says why. */
export class Rejected extends Error {
  readonly id: string | undefined;
  constructor(id: string | undefined, reason: string) {
    super(reason);
    this.id = id;
  }

  static of(id: string | undefined, problems: readonly Detail[]): Rejected {
    return new Rejected(id, problems.map(({ path, reason }) => `${path} ${reason}`.trim()).join("; "));
  }
}

/** What a line holds. @throws Rejected where that is no object */
export function readIncoming(incoming: Incoming): JsonBody {
  try {
    return incoming.read();
  } catch (error) {
    throw error instanceof NoDocument ? new Rejected(undefined, error.message) : error;
  }
}

/** @throws what is no rejection */
export function rejectOf(line: number, error: unknown): Reject {
  if (!(error instanceof Rejected)) throw error;
  return { line, id: error.id ?? null, error: error.message };
}
