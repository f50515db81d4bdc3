/** How the operations on files name documents of organizations, and the files in them. */
import type { Ask, Asks } from "./ask.ts";
import type { Names } from "./town.ts";

/** Of the files in `tasks`, by the operation and the rest of the path below the collection. */
export function fileAsks(path: string, kind: string): Asks | undefined {
  switch (kind) {
    case "POST /{id}/_files/scan":
      return (names) => uploads(`${path}/${names.documents.tasks}/_files/scan`);
    case "GET /{id}/_files/scan/{file}":
      return (names) => downloads(`${path}/${names.documents.tasks}/_files/scan`, names);
    case "DELETE /{id}/_files/scan/{file}":
      return (names) => removals(`${path}/${names.documents.tasks}/_files/scan`, names);
    default:
      return undefined;
  }
}

const conditions = ["*", '"1"', '"99"', '"1", "2"', "nonsense"] as const;

/** What would be taken, and what would be refused for its size, its type, its name or its digest. */
function uploads(path: string): readonly Ask[] {
  const text = "of a file";
  const headers: readonly Readonly<Record<string, string>>[] = [
    { "content-type": "application/pdf" },
    { "content-type": "nonsense" },
    { "x-svc-filename": "%00" },
    { "content-digest": "sha-256=:nonsense:" },
    ...conditions.map((condition) => ({ "if-match": condition })),
  ];
  return [
    { path, text },
    { path, text: "" },
    { path, text: "x".repeat(1_100_000) },
    { path: `${path}?replace=true`, text },
    { path: `${path}?nonsense=1`, text },
    ...headers.map((each) => ({ path, text, headers: each })),
  ];
}

function downloads(path: string, { file, documents }: Names): readonly Ask[] {
  const one = `${path}/${file}`;
  return [
    { path: one },
    { path: `${one}?version=thumb` },
    { path: `${path}/${documents.tasks}` },
    { path: one, headers: { range: "bytes=0-1" } },
    { path: one, headers: { range: "bytes=99999-" } },
    ...conditions.map((condition) => ({ path: one, headers: { "if-none-match": condition } })),
  ];
}

function removals(path: string, { file, documents }: Names): readonly Ask[] {
  const one = `${path}/${file}`;
  return [
    { path: one },
    { path: `${path}/${documents.tasks}` },
    ...conditions.map((condition) => ({ path: one, headers: { "if-match": condition } })),
  ];
}
