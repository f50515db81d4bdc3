/** Bare descriptors of files: these are all that a small one costs. */
import { close, open } from "node:fs";
import { promisify } from "node:util";

type Done<T> = (error: Error | null, result: T) => void;

/** For reading; of folders too. */
export const opened: (path: string) => Promise<number> = promisify((path: string, done: Done<number>) =>
  open(path, "r", done),
);

export const closed: (descriptor: number) => Promise<void> = promisify(close);
