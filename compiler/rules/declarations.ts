/**
 * What a rule sees, as TypeScript declarations; dates are strings to TypeScript and claims are anything, the analysis tells
 * them apart.
 */
import type { ValueKind, ValueType } from "./types.ts";

/**
 * In place of `lib.d.ts`: exactly the members that rules may use. Interfaces without members are those that the checker
 * cannot do without.
 */
const library = `
interface Object {}
interface Function {}
interface CallableFunction {}
interface NewableFunction {}
interface IArguments {}
interface RegExp {}
interface Boolean {}
interface Number {}
interface String {
  readonly length: number;
  includes(part: string): boolean;
  startsWith(part: string): boolean;
  endsWith(part: string): boolean;
}
interface ReadonlyArray<T> {
  readonly length: number;
  includes(item: T): boolean;
}
interface Array<T> extends ReadonlyArray<T> {}

declare const now: string;
declare function hasRole(role: string, ...more: string[]): boolean;
declare function inOrg(org: string): boolean;
declare function hasOrgRole(org: string, role: string, ...more: string[]): boolean;
declare function inTeam(team: string): boolean;
declare function hasTeamRole(team: string, role: string, ...more: string[]): boolean;
declare function orgClaims(org: string): any;
declare function ago(duration: {}): string;
declare function ahead(duration: {}): string;
`;

export interface RealmTypes {
  readonly user: ValueType;
  readonly appConfig: ValueType;
  /** In a fixed order; see {@link ruleHeader}. */
  readonly collections: readonly { readonly document: ValueType; readonly data: ValueType }[];
}

/** One file for a whole realm. */
export function declarations({ user, appConfig, collections }: RealmTypes): string {
  const parts = collections.map(
    ({ document, data }, at) =>
      `interface Document${at} ${membersText(document)}\ninterface Data${at} ${membersText(data)}\n`,
  );
  return [
    library,
    `interface User ${membersText(user)}\ndeclare const user: User;\n`,
    `interface AppConfig ${membersText(appConfig)}\ndeclare const appConfig: AppConfig;\n`,
    ...parts,
  ].join("\n");
}

/** What stands before a rule's text, in its file, for the collection with this number. */
export function ruleHeader(collection: number): string {
  return `declare const document: Document${collection}, data: Data${collection};\nexport default (\n`;
}

/** What stands after it; the line end closes a comment. */
export const ruleFooter = "\n);\n";

function membersText(type: ValueType): string {
  const members = Object.entries(type.members ?? {});
  const own = members.map(([name, member]) => `readonly ${JSON.stringify(name)}: ${typeText(member)};`);
  return `{ ${[...own, ...(type.open ? ["readonly [name: string]: any;"] : [])].join(" ")} }`;
}

function typeText(type: ValueType): string {
  if (type.open && type.members === undefined) return "any";
  const scalars = unionText(
    type.kinds.filter((kind) => kind !== "object"),
    type.values,
  );
  const object = type.kinds.includes("object") ? membersText(type) : undefined;
  // Branches are merged: members can be read whatever else the value may be.
  const plain =
    scalars !== undefined && object !== undefined ? `((${scalars}) & ${object})` : (scalars ?? object);
  const list =
    type.elements === undefined ? undefined : `(readonly (${unionText(type.elements, undefined) ?? "{}"})[])`;
  return [plain, list].filter((part) => part !== undefined).join(" | ") || "{}";
}

function unionText(kinds: readonly ValueKind[], values: readonly string[] | undefined): string | undefined {
  const texts = new Set(
    kinds.flatMap((kind) =>
      kind === "text" && values !== undefined
        ? values.map((value) => JSON.stringify(value))
        : typeNames[kind],
    ),
  );
  return texts.size === 0 ? undefined : [...texts].join(" | ");
}

const typeNames: Readonly<Record<ValueKind, string>> = {
  text: "string",
  number: "number",
  boolean: "boolean",
  "date-time": "string",
  date: "string",
  object: "{}",
};
