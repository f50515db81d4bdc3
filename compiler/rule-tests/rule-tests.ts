/** Rule tests: files of `_tests` resolved, as plain data. Reading makes it, running and explaining go by it. */
import type { JsonObject } from "../../runtime/json.ts";
import type { KeyScopes } from "../../runtime/realm/caller.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";
import type { Span } from "../diagnostics/diagnostic.ts";

/** A file that has been read; without errors all names in it are those of callers and documents that it has. */
export interface RuleTestFile {
  /** Relative to the configuration folder. */
  readonly path: string;
  readonly realm: string;
  /** `<database>/<collection>` in whose folder it is; absent: it is the realm's. */
  readonly collection?: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly now: string;
  /** That of the realm, with what the file replaces of it. */
  readonly appConfig: JsonObject;
  /** By name; `anonymous` is among them also where the file does not declare it. */
  readonly callers: ReadonlyMap<string, TestCaller>;
  /** The callers whom the file declares itself. */
  readonly declared: readonly string[];
  /** By name, in the order of the file. */
  readonly documents: ReadonlyMap<string, TestDocument>;
  /** In the order of the file. */
  readonly tests: readonly RuleTest[];
}

/** Somebody who acts. */
export interface TestCaller {
  readonly name: string;
  readonly kind: "anonymous" | "user" | "key" | "delegate";
  /** What rules see of them; undefined for keys on nobody's behalf, which no rule is asked about. */
  readonly context: RuleContext | undefined;
  /** Of the key that they come with; undefined: everything. */
  readonly scopes: KeyScopes | undefined;
}

export interface TestDocument {
  readonly name: string;
  /** `<database>/<collection>`. */
  readonly collection: string;
  /** As it is stored: with `id` and `_meta`. */
  readonly value: StoredValue;
  readonly span: Span;
}

export type StoredValue = JsonObject & { readonly id: string; readonly _meta: JsonObject };

export interface RuleTest {
  readonly name: string;
  /** Of its name, or of what it begins with. */
  readonly span: Span;
  readonly action: TestAction;
}

export type TestAction =
  | ReachTest
  | CreateTest
  | UpdateTest
  | ListTest
  | FieldsTest
  | CallTest
  | CreateOrganizationTest;

/** What is done to a document as it is. */
export type Reach = "read" | "delete" | "restore" | "purge";

/** A caller and a document, by their names. */
export interface Pair {
  readonly caller: string;
  readonly document: string;
}

interface OnCollection {
  /** `<database>/<collection>`. */
  readonly collection: string;
}

export interface ReachTest extends OnCollection {
  readonly kind: Reach;
  readonly allow: readonly Pair[];
  readonly deny: readonly Pair[];
  /** Who may is all who may: every other caller and document of the file is among those refused. */
  readonly only?: true;
  /** Of each refusal. */
  readonly status?: number;
}

/** What must come of a request. */
export type Expected =
  | { readonly decision: "allow" }
  /** `field`: the path that may not be written; absent: whatever refuses it. */
  | { readonly decision: "deny"; readonly field?: string; readonly status?: number };

export interface CreateTest extends OnCollection {
  readonly kind: "create";
  readonly as: string;
  readonly data: JsonObject;
  readonly org?: string;
  readonly team?: string;
  readonly expected: Expected;
}

export interface UpdateTest extends OnCollection {
  readonly kind: "update";
  readonly as: string;
  readonly document: string;
  readonly change: "patch" | "replace";
  readonly body: JsonObject;
  readonly expected: Expected;
}

export interface ListTest extends OnCollection {
  readonly kind: "list";
  readonly as: string;
  /** As JSON. */
  readonly where?: string;
  readonly orderBy?: string;
  readonly deleted?: "include" | "only";
  readonly expected:
    | { readonly documents: readonly string[]; readonly ordered: boolean }
    | Extract<Expected, { readonly decision: "deny" }>;
}

export interface FieldsTest extends OnCollection {
  readonly kind: "fields";
  readonly as: string;
  readonly document: string;
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
}

export interface CallTest {
  readonly kind: "call";
  readonly as: string;
  /** `<database>/<function>`. */
  readonly function: string;
  readonly input: JsonObject;
  readonly expected: Expected;
}

export interface CreateOrganizationTest {
  readonly kind: "create_organization";
  readonly as: string;
  readonly expected: Expected;
}

export const testKinds = [
  "read",
  "create",
  "update",
  "delete",
  "restore",
  "purge",
  "list",
  "fields",
  "call",
  "create_organization",
] as const satisfies readonly TestAction["kind"][];

export const anonymousCaller = "anonymous";
