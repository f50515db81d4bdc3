import type { JobKind } from "../jobs/kind.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { FileLedger } from "../realm/files.ts";
import type { OpenStorage } from "./realm.ts";
import { fileSweep } from "./sweep.ts";
import { imageVersions } from "./version-job.ts";

/** What goes on in the background of a realm with storage. */
export function fileJobs(
  { collections }: Pick<RealmDefinition, "collections">,
  ledger: FileLedger,
  storage: OpenStorage,
): readonly JobKind[] {
  return [fileSweep(ledger, storage), imageVersions(collections, ledger, storage)];
}
