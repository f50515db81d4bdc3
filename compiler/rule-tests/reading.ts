/** What the reading of one file goes by, and how what is wrong in it is told. */
import { didYouMean } from "../../runtime/suggest.ts";
import { type Code, diagnose, type Parameters } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { objectOf } from "../model/given.ts";
import { type Collection, collectionOf, type Realm, type UnknownKey } from "../model/model.ts";
import { locate, type Path, type SourceFile } from "../source/source.ts";

/** One file while it is read. */
export class TestReading {
  readonly file: SourceFile;
  readonly realm: Realm;
  /** The collection in whose folder the file is; undefined where it is the realm's. */
  readonly own: Collection | undefined;
  readonly diagnostics: Diagnostic[] = [];

  constructor(file: SourceFile, realm: Realm, own: Collection | undefined) {
    this.file = file;
    this.realm = realm;
    this.own = own;
  }

  /** Names of the callers whom the file declares. */
  get declared(): readonly string[] {
    return Object.keys(objectOf(this.file.value.callers));
  }

  report<C extends Code>(
    code: C,
    path: Path,
    parameters: Parameters<C>,
    {
      hint,
      target = "value",
    }: { readonly hint?: string | undefined; readonly target?: "key" | "value" } = {},
  ): void {
    this.diagnostics.push(diagnose(code, locate(this.file, path, target), parameters, { hint }));
  }

  /**
   * Whether a name is one of those that there are; where it is none, that is told.
   * @param what it is a name of, in words
   */
  knows(
    what: string,
    name: string,
    known: readonly string[],
    path: Path,
    target: "key" | "value" = "value",
  ): boolean {
    if (known.includes(name)) return true;
    const hint = didYouMean(name, known) ?? thereAre(known);
    this.report("rule-test-unknown", path, { what, name }, { hint, target });
    return false;
  }

  /** Whether mistakes of realm.yaml leave open what it declares. */
  isOpen(key: UnknownKey): boolean {
    return this.realm.unknown?.includes(key) === true;
  }

  /**
   * The collection of something in the file, told where there is none.
   * @param named `<database>/<collection>` as it says itself; anything where it does not
   * @param path of what it is the collection of
   */
  collection(named: unknown, path: Path): Collection | undefined {
    const { own, realm } = this;
    if (own !== undefined) {
      if (named !== undefined && named !== nameOf(own)) {
        const problem = `this file is about ${nameOf(own)}; tests of several collections are in the realm's _tests`;
        this.report("rule-test-collection", [...path, "collection"], { problem });
      }
      return own;
    }
    if (typeof named !== "string") {
      const problem = "in the realm's _tests each document and each test names its collection";
      this.report("rule-test-collection", path, { problem }, { target: "key" });
      return undefined;
    }
    const [database = "", name = ""] = named.split("/");
    const found = collectionOf(realm, database, name);
    if (found !== undefined && nameOf(found) === named) return found;
    this.knows("collection", named, collectionNames(realm), [...path, "collection"]);
    return undefined;
  }
}

/** `<database>/<collection>`, or of functions the same. */
export function nameOf({ database, name }: { readonly database: string; readonly name: string }): string {
  return `${database}/${name}`;
}

function collectionNames({ databases }: Realm): readonly string[] {
  return databases.flatMap(({ collections }) => collections.map(nameOf));
}

const listed = 10;

function thereAre(known: readonly string[]): string {
  if (known.length === 0) return "there are none";
  const more = known.length > listed ? ", …" : "";
  return `there are: ${known.slice(0, listed).join(", ")}${more}`;
}
