/** The tests of a file: what each asks, and what in it is of no realm. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { number, objectOf, oneOf, text, texts } from "../model/given.ts";
import type { Collection } from "../model/model.ts";
import { locate, type Path } from "../source/source.ts";
import { checkBody, checkField, checkQuery } from "./checks.ts";
import type { Misfits } from "./misfits.ts";
import { nameOf, type TestReading } from "./reading.ts";
import {
  type Expected,
  type ListTest,
  type Pair,
  type Reach,
  type RuleTest,
  type TestAction,
  type TestCaller,
  type TestDocument,
  testKinds,
} from "./rule-tests.ts";
import { nameOfAction } from "./unnamed.ts";

/** What the tests of a file may name. */
export interface Names {
  readonly callers: ReadonlyMap<string, TestCaller>;
  readonly documents: ReadonlyMap<string, TestDocument>;
  readonly misfits: Misfits;
}

/** In the order of the file; those that cannot be made sense of are left out. */
export function readTests(reading: TestReading, names: Names): readonly RuleTest[] {
  const { tests } = reading.file.value;
  if (!Array.isArray(tests)) return [];
  return tests.flatMap((value: JsonValue, at) => {
    if (!isJsonObject(value)) return [];
    const path = ["tests", at];
    const action = actionOf(new TestReader(reading, names, path), value);
    if (action === undefined) return [];
    const named = text(value.name ?? null);
    const span = locate(reading.file, named === undefined ? path : [...path, "name"]);
    return [{ name: named ?? nameOfAction(action), span, action }];
  });
}

function actionOf(reader: TestReader, value: JsonObject): TestAction | undefined {
  const kinds = testKinds.filter((kind) => value[kind] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    // Beside a key that is no operation, that says it all.
    const isTold = Object.keys(value).some(
      (key) => key !== "name" && key !== "collection" && !testKinds.some((each) => each === key),
    );
    const problem = kind === undefined ? "none" : kinds.join(" and ");
    if (kind !== undefined || !isTold) reader.report("rule-test-operation", [], { problem });
    return undefined;
  }
  const given = value[kind];
  if (!isJsonObject(given)) return undefined;
  if (kind === "call") return reader.call(given);
  if (kind === "create_organization") return reader.createOrganization(given);
  const collection = reader.collection(value.collection);
  if (collection === undefined) return undefined;
  switch (kind) {
    case "create":
      return reader.create(given, collection);
    case "update":
      return reader.update(given, collection);
    case "list":
      return reader.list(given, collection);
    case "fields":
      return reader.fields(given, collection);
    default:
      return reader.reach(kind, given, collection);
  }
}

/** Reads one test. */
class TestReader {
  readonly #reading: TestReading;
  readonly #names: Names;
  readonly #path: Path;

  constructor(reading: TestReading, names: Names, path: Path) {
    this.#reading = reading;
    this.#names = names;
    this.#path = path;
  }

  report(
    code: "rule-test-operation" | "rule-test-expectation",
    path: Path,
    parameters: { problem: string },
  ): void {
    this.#reading.report(code, [...this.#path, ...path], parameters, { target: "key" });
  }

  collection(named: JsonValue | undefined): Collection | undefined {
    return this.#reading.collection(named, this.#path);
  }

  reach(kind: Reach, given: JsonObject, collection: Collection): TestAction {
    const status = number(given.status ?? null);
    if ((kind === "restore" || kind === "purge") && collection.softDelete === undefined) {
      const problem = `documents here are deleted for good, so there is no ${kind} (soft_delete in collection.yaml)`;
      this.report("rule-test-expectation", [kind], { problem });
    }
    const pairs = (key: "only" | "allow" | "deny") =>
      this.#pairs(objectOf(given[key]), [kind, key], collection);
    const of = { kind, collection: nameOf(collection), ...(status !== undefined && { status }) };
    if (given.only === undefined) return { ...of, allow: pairs("allow"), deny: pairs("deny") };
    if (given.allow !== undefined || given.deny !== undefined) {
      const problem =
        "'only' says who may and that nobody else may, so 'allow' and 'deny' do not stand beside it";
      this.report("rule-test-expectation", [kind], { problem });
    }
    const allow = pairs("only");
    const all = this.#pairs({ "*": "*" }, [kind], collection, "only");
    const isAllowed = ({ caller, document }: Pair): boolean =>
      allow.some((each) => each.caller === caller && each.document === document);
    return { ...of, only: true, allow, deny: all.filter((pair) => !isAllowed(pair)) };
  }

  create(given: JsonObject, collection: Collection): TestAction {
    const data = objectOf(given.data);
    const expected = this.#expected(given, ["create"], collection);
    const [org, team] = [text(given.org ?? null), text(given.team ?? null)];
    const place = [...this.#path, "create", "data"];
    checkBody(this.#reading, collection, data, place, expected, this.#names.misfits);
    return {
      kind: "create",
      collection: nameOf(collection),
      as: this.#caller(given.as, ["create", "as"]),
      data,
      ...(org !== undefined && { org }),
      ...(team !== undefined && { team }),
      expected,
    };
  }

  update(given: JsonObject, collection: Collection): TestAction | undefined {
    const bodies = (["patch", "replace"] as const).filter((each) => given[each] !== undefined);
    const [change] = bodies;
    if (change === undefined || bodies.length > 1) {
      const problem =
        change === undefined ? "an update has a patch, or replace" : "an update has either patch or replace";
      this.report("rule-test-expectation", ["update"], { problem });
      return undefined;
    }
    const body = objectOf(given[change]);
    const expected = this.#expected(given, ["update"], collection);
    const document = this.#document(given.document, ["update", "document"], collection);
    const stored = this.#names.documents.get(document);
    const place = [...this.#path, "update", change];
    const before = change === "patch" ? stored?.value : {};
    if (before !== undefined)
      checkBody(this.#reading, collection, body, place, expected, this.#names.misfits, before);
    const as = this.#caller(given.as, ["update", "as"]);
    return { kind: "update", collection: nameOf(collection), as, document, change, body, expected };
  }

  list(given: JsonObject, collection: Collection): TestAction | undefined {
    const [orderBy, deleted] = [
      text(given.order_by ?? null),
      oneOf("include", "only")(given.deleted ?? null),
    ];
    checkQuery(this.#reading, collection, given, [...this.#path, "list"]);
    const expected = this.#listed(given, collection, orderBy !== undefined);
    if (expected === undefined) return undefined;
    return {
      kind: "list",
      collection: nameOf(collection),
      as: this.#caller(given.as, ["list", "as"]),
      ...(isJsonObject(given.where) && { where: JSON.stringify(given.where) }),
      ...(orderBy !== undefined && { orderBy }),
      ...(deleted !== undefined && { deleted }),
      expected,
    };
  }

  #listed(given: JsonObject, collection: Collection, ordered: boolean): ListTest["expected"] | undefined {
    if ((given.expect === undefined) === (given.deny === undefined)) {
      const problem = "a list says what it expects: the documents, or deny: true";
      this.report("rule-test-expectation", ["list"], { problem });
      return undefined;
    }
    if (given.deny !== undefined) {
      const status = number(given.status ?? null);
      return { decision: "deny", ...(status !== undefined && { status }) };
    }
    const documents = (texts(given.expect ?? null) ?? []).map((name, at) =>
      this.#document(name, ["list", "expect", at], collection),
    );
    return { documents, ordered };
  }

  fields(given: JsonObject, collection: Collection): TestAction {
    const [hidden, shown] = [texts(given.hidden ?? null) ?? [], texts(given.shown ?? null) ?? []];
    if (hidden.length + shown.length === 0) {
      const problem = "it names fields that are hidden, or shown";
      this.report("rule-test-expectation", ["fields"], { problem });
    }
    for (const [key, paths] of Object.entries({ hidden, shown })) {
      for (const [at, path] of paths.entries())
        checkField(this.#reading, collection, path, [...this.#path, "fields", key, at]);
    }
    const document = this.#document(given.document, ["fields", "document"], collection);
    const as = this.#caller(given.as, ["fields", "as"]);
    return { kind: "fields", collection: nameOf(collection), as, document, hidden, shown };
  }

  call(given: JsonObject): TestAction | undefined {
    const name = text(given.function ?? null);
    if (name === undefined) return undefined;
    const callable = this.#reading.realm.functions.filter(({ mode }) => mode !== "event").map(nameOf);
    this.#reading.knows("function that is called", name, callable, [...this.#path, "call", "function"]);
    return {
      kind: "call",
      as: this.#caller(given.as, ["call", "as"]),
      function: name,
      input: objectOf(given.input),
      expected: this.#expected(given, ["call"]),
    };
  }

  createOrganization(given: JsonObject): TestAction {
    const as = this.#caller(given.as, ["create_organization", "as"]);
    return { kind: "create_organization", as, expected: this.#expected(given, ["create_organization"]) };
  }

  /** The name, also where there is no such caller, which is told. */
  #caller(name: JsonValue | undefined, path: Path): string {
    if (typeof name !== "string") return "";
    this.#reading.knows("caller", name, [...this.#names.callers.keys()], [...this.#path, ...path]);
    return name;
  }

  #document(name: JsonValue | undefined, path: Path, collection: Collection): string {
    if (typeof name !== "string") return "";
    this.#reading.knows("document", name, this.#documentsOf(collection), [...this.#path, ...path]);
    return name;
  }

  #documentsOf(collection: Collection): readonly string[] {
    const own = nameOf(collection);
    return [...this.#names.documents.values()]
      .filter((each) => each.collection === own)
      .map(({ name }) => name);
  }

  /** @param at the last step to where it is told that a caller of `given` decides nothing; default: the caller */
  #pairs(given: JsonObject, path: Path, collection: Collection, at?: string): readonly Pair[] {
    const { callers } = this.#names;
    return Object.entries(given).flatMap(([caller, named]) => {
      if (caller !== "*")
        this.#reading.knows("caller", caller, [...callers.keys()], [...this.#path, ...path, caller], "key");
      const documents =
        named === "*"
          ? this.#documentsOf(collection)
          : typeof named === "string"
            ? [this.#document(named, [...path, caller], collection)]
            : (texts(named ?? null) ?? []).map((name, at) =>
                this.#document(name, [...path, caller, at], collection),
              );
      const all = caller === "*" ? this.#reading.declared : [caller];
      if (all.length === 0 || documents.length === 0) {
        const missing = all.length === 0 ? "callers" : `documents of ${nameOf(collection)}`;
        const problem = `it decides nothing, since there are no ${missing} in this file`;
        this.report("rule-test-expectation", [...path, at ?? caller], { problem });
      }
      return all.flatMap((each) => documents.map((document) => ({ caller: each, document })));
    });
  }

  #expected({ allow, deny, status }: JsonObject, path: Path, collection?: Collection): Expected {
    if ((allow === undefined) === (deny === undefined)) {
      const problem = allow === undefined ? "it says neither allow nor deny" : "it says both allow and deny";
      this.report("rule-test-expectation", path, { problem });
    }
    if (deny === undefined) return { decision: "allow" };
    const asked = number(status ?? null);
    const field = typeof deny === "string" ? deny : undefined;
    if (field !== undefined && collection !== undefined) {
      const ruled = collection.fieldRules.filter(({ write }) => write !== undefined).map((rule) => rule.path);
      this.#reading.knows("field with a rule for writing", field, ruled, [...this.#path, ...path, "deny"]);
    }
    return {
      decision: "deny",
      ...(field !== undefined && { field }),
      ...(asked !== undefined && { status: asked }),
    };
  }
}
