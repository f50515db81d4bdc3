import { StorageUnavailable } from "./store.ts";

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "no room is left on the device",
  EDQUOT: "no room is left in the quota of the device",
  EACCES: "the process may not do that",
  EPERM: "the process may not do that",
  EROFS: "it can only be read",
  ENOENT: "it is gone",
  ENOTDIR: "it is no folder",
  EMFILE: "the process has too many files open",
  ENFILE: "the system has too many files open",
};

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** What the file system says of a place, for the log. */
export function unavailable(place: string, cause: unknown): StorageUnavailable {
  if (cause instanceof StorageUnavailable) return cause;
  const code = codeOf(cause);
  const reason =
    (code !== undefined && reasons[code]) || (cause instanceof Error ? cause.message : `${cause}`);
  return new StorageUnavailable(`${place}: ${reason}`, cause);
}
