import type { DocumentWrite } from "../../../runtime/store/contract/document.ts";
import { oldDocument } from "../../before-migrations.ts";
import { item } from "../workload.ts";

/** Items of about 600 bytes, as they were before the migration of `config/migrations`. */
export function* oldItems(count: number): Generator<DocumentWrite> {
  for (let at = 0; at < count; at += 1) {
    const { supplier, ...members }: { supplier?: unknown } = item();
    yield oldDocument(idOf(at), { ...members, vendor: supplier, status: "live" });
  }
}

export function idOf(at: number): string {
  return `i${String(at).padStart(8, "0")}`;
}
