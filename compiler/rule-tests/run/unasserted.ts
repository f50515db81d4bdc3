/** What no test of a file says: who may do what with which document. */
import type { Realm } from "../../model/model.ts";
import { nameOf } from "../reading.ts";
import type { Pair, RuleTest, RuleTestFile, TestDocument } from "../rule-tests.ts";

/** What is done to one document. */
type Operation = (typeof operations)[number];

const operations = ["read", "update", "delete", "restore", "purge"] as const;

/** Documents of which no test says whether a caller may do something with them. */
export interface Unasserted {
  readonly file: string;
  /** `<database>/<collection>`. */
  readonly collection: string;
  readonly operation: Operation;
  readonly caller: string;
  readonly documents: readonly string[];
}

export interface Assertions {
  /** Triples of a declared caller, a document and an operation on it. */
  readonly possible: number;
  /** Those that no test asserts; by collection, operation and caller, in the order of the file. */
  readonly unasserted: readonly Unasserted[];
}

/**
 * What of a file the tests leave open. Live documents are read, changed and deleted, deleted ones restored; where documents
 * are deleted softly, both are removed for good.
 * @param tests those of the file that ran
 */
export function assertionsOf(file: RuleTestFile, tests: readonly RuleTest[], realm: Realm): Assertions {
  const soft = new Set(
    realm.databases
      .flatMap(({ collections }) => collections)
      .filter(({ softDelete }) => softDelete !== undefined)
      .map(nameOf),
  );
  const asserted = new Set(tests.flatMap((test) => assertedBy(test, file)));
  const callers = file.declared;
  const documents = [...file.documents.values()];
  const unasserted: Unasserted[] = [];
  let possible = 0;
  for (const collection of new Set(documents.map((each) => each.collection))) {
    const own = documents.filter((each) => each.collection === collection);
    for (const operation of operations) {
      const concerned = own
        .filter((each) => operationsOn(each, soft.has(collection)).includes(operation))
        .map(({ name }) => name);
      possible += concerned.length * callers.length;
      for (const caller of callers) {
        const open = concerned.filter((document) => !asserted.has(cellOf(operation, { caller, document })));
        if (open.length > 0)
          unasserted.push({ file: file.path, collection, operation, caller, documents: open });
      }
    }
  }
  return { possible, unasserted };
}

/** Those of several files as one. */
export function together(files: readonly Assertions[]): Assertions {
  return {
    possible: files.reduce((sum, each) => sum + each.possible, 0),
    unasserted: files.flatMap((each) => each.unasserted),
  };
}

/** How many triples these are. */
export function countOf(unasserted: readonly Unasserted[]): number {
  return unasserted.reduce((sum, { documents }) => sum + documents.length, 0);
}

function operationsOn(document: TestDocument, isSoft: boolean): readonly Operation[] {
  if (isDeleted(document)) return ["restore", "purge"];
  return isSoft ? ["read", "update", "delete", "purge"] : ["read", "update", "delete"];
}

function isDeleted({ value }: TestDocument): boolean {
  return value._meta["deleted_at"] !== undefined && value._meta["deleted_at"] !== null;
}

/** The cells that a test says something of. */
function assertedBy({ action }: RuleTest, file: RuleTestFile): readonly string[] {
  switch (action.kind) {
    case "read":
    case "delete":
    case "restore":
    case "purge":
      return [...action.allow, ...action.deny].map((pair) => cellOf(action.kind, pair));
    case "update":
      return [cellOf("update", { caller: action.as, document: action.document })];
    case "fields":
      return [cellOf("read", { caller: action.as, document: action.document })];
    case "list": {
      const { as: caller, collection, where, deleted, expected } = action;
      if (!("documents" in expected)) return [];
      // A list without conditions says of every live document whether it is in it.
      const all =
        where === undefined && deleted === undefined
          ? [...file.documents.values()].filter((each) => each.collection === collection)
          : [];
      const documents = [...expected.documents, ...all.map(({ name }) => name)];
      return documents.map((document) => cellOf("read", { caller, document }));
    }
    default:
      return [];
  }
}

function cellOf(operation: Operation, { caller, document }: Pair): string {
  return JSON.stringify([operation, caller, document]);
}
