/** What is on the device when it answers. */
import { closeSync, constants, fsync, open, unlink, write } from "node:fs";
import { promisify } from "node:util";
import { opened } from "./descriptors.ts";

const created = promisify(open);
const writing = promisify(write);
const syncing = promisify(fsync);
const removed = promisify(unlink);

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_DSYNC;

/** Writes a file that is not there yet; nothing is left where that fails. */
export async function writeNew(path: string, bytes: Buffer): Promise<void> {
  const descriptor = await created(path, NEW, 0o600);
  try {
    for (let at = 0; at < bytes.length; ) {
      at += (await writing(descriptor, bytes, at, bytes.length - at, at)).bytesWritten;
    }
  } catch (error) {
    await removed(path);
    throw error;
  } finally {
    // All of it is written: this waits for no device.
    closeSync(descriptor);
  }
}

/** @param what a path, or the descriptor of what is open: a file, or a folder with the names in it */
export async function synced(what: string | number): Promise<void> {
  if (typeof what === "number") return syncing(what);
  const descriptor = await opened(what);
  try {
    await syncing(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
