/** The types of clients, as the schemas of contracts say: text of TypeScript, in which `R` is the realm. */
import { isNamed, type Named, type PlainSchema, type Schema } from "../../../runtime/contract/schema.ts";
import type { RealmTraits } from "../../../runtime/contract/traits.ts";
import { codeText, docComment, type Literal, literal, propertyKey } from "../../print/code.ts";
import { type Kind, realmKinds, variants } from "./realms.ts";

/** Of what is sent members may be undefined, lists be read-only and times be dates. */
export type Way = "request" | "answer";

/** A type that clients have by name. */
export interface ClientType {
  readonly name: string;
  readonly declaration: string;
  /** Whether it is made for a realm. */
  readonly generic: boolean;
  /** Realms whose clients have it. */
  readonly kind: Kind;
}

/** Objects of no more members stand in place. */
const mostInPlace = 2;

/** Members that another type has as well, from which on a type is said to extend it. */
const fewestExtended = 4;

interface Declared extends ClientType {
  /** All of it, whatever it extends. */
  readonly text: string;
}

export class ClientTypes {
  readonly #declared = new Map<string, Declared>();
  /** Of the texts of objects. */
  readonly #members = new Map<string, readonly string[]>();
  /** Of schemas that several routes have: what they are in realms. */
  readonly #variants = new Map<Schema, readonly PlainSchema[]>();

  get declared(): readonly ClientType[] {
    return [...this.#declared.values()];
  }

  /** @param kind of realms whose clients say it */
  of(schema: Schema, way: Way, kind: Kind): string {
    const each = this.#variants.get(schema) ?? variants(isNamed(schema) ? schema.schema : schema);
    this.#variants.set(schema, each);
    return this.#named(nameOf(schema, each), kind, () => this.#among(each, way, kind), each[0]?.description);
  }

  /** What of it is not the same in all realms that have the route is the realm's. */
  body(id: string, schema: Named, among: readonly RealmTraits[], kind: Kind): string {
    const each = variants(schema.schema, among);
    const varying = varyingMembers(each);
    const text = (): string =>
      varying.size === 0
        ? this.#among(each, "request", kind)
        : `${this.#object(each, "request", kind, (name) => !varying.has(name))} & R["bodies"]["${id}"]`;
    return this.#named(nameOf(schema, each), kind, text);
  }

  /** The type of a query's parameters, beside those of `base`. */
  options(name: string, base: string, properties: Readonly<Record<string, Schema>>, kind: Kind): string {
    const members = this.#object([{ properties }], "request", kind);
    return this.#named(name, kind, () => members, undefined, base);
  }

  /** An object of the members that vary, without what is said about them. */
  realmsOwn(schema: PlainSchema, varying: ReadonlySet<string>, kind: Kind): string {
    const text = this.#object([schema], "request", kind, (name) => varying.has(name));
    return text.replaceAll(/\/\*\*.*?\*\/\n|\n/gs, " ");
  }

  #named(
    name: string | undefined,
    kind: Kind,
    print: () => string,
    description?: string,
    base?: string,
  ): string {
    if (name === undefined) return print();
    const known = this.#declared.get(name);
    const text = print();
    const generic = /\bR\[|<R>/.test(text);
    const parameters = generic ? `<R extends ${realmKinds[known?.kind ?? kind]}>` : "";
    if (known !== undefined && known.text !== text)
      throw new Error(
        `clients would have two types called ${name}: give one of the schemas another name by \`client\``,
      );
    if (known === undefined) {
      const of = base === undefined ? this.#extended(text) : { base, own: text };
      const declaration =
        of === undefined
          ? `export type ${name}${parameters} = ${text};`
          : `export interface ${name}${parameters}${of.base === undefined ? "" : ` extends ${of.base}`} {\n${of.own.slice(1)}`;
      this.#declared.set(name, {
        name,
        declaration: comment(description) + declaration,
        generic,
        kind,
        text,
      });
    }
    return generic ? `${name}<R>` : name;
  }

  /** What an object has beyond the largest type before it that it has all of; undefined for what is no object. */
  #extended(text: string): { readonly base?: string; readonly own: string } | undefined {
    const members = this.#members.get(text);
    if (members === undefined) return undefined;
    const [largest] = [...this.#declared.values()]
      .map((each) => ({ each, has: this.#members.get(each.text) ?? [] }))
      .filter(({ has }) => has.length >= fewestExtended && has.every((member) => members.includes(member)))
      .sort((a, b) => b.has.length - a.has.length);
    if (largest === undefined) return { own: text };
    const { each, has } = largest;
    const own = objectText(members.filter((member) => !has.includes(member)));
    return { base: each.generic ? `${each.name}<R>` : each.name, own };
  }

  /** Objects are one, in which may be missing what some of them do not have; of others it is any. */
  #among(each: readonly PlainSchema[], way: Way, kind: Kind): string {
    if (
      each.length > 1 &&
      each.every(({ type, properties }) => type === "object" && properties !== undefined)
    )
      return this.#object(each, way, kind);
    return union(each.map((schema) => this.#plain(schema, way, kind)));
  }

  #plain(schema: PlainSchema, way: Way, kind: Kind): string {
    const { anyOf, enum: values, const: value, type, realm } = schema;
    if (values !== undefined) return union(values.map(literalText));
    if (value !== undefined) return literalText(value);
    if (anyOf !== undefined) return union(anyOf.map((each) => this.of(each, way, kind)));
    const types = [type ?? "object"].flat();
    return union(
      types.map((each) => {
        if (realm !== undefined && each !== "null") return ofRealm[realm];
        switch (each) {
          case "integer":
            return "number";
          case "string":
            return way === "request" && schema.format === "date-time" ? "string | Date" : each;
          case "array":
            return `${way === "request" ? "readonly " : ""}(${this.of(schema.items ?? {}, way, kind)})[]`;
          case "object":
            return schema.properties === undefined
              ? "Record<string, unknown>"
              : this.#object([schema], way, kind);
          default:
            return each;
        }
      }),
    );
  }

  #object(
    each: readonly PlainSchema[],
    way: Way,
    kind: Kind,
    shown: (name: string) => boolean = () => true,
  ): string {
    const names = new Set(each.flatMap(({ properties = {} }) => Object.keys(properties)).filter(shown));
    if (names.size === 0) return "object";
    const members = [...names].map((name) => {
      const schemas = each.flatMap(({ properties }) => properties?.[name] ?? []);
      const [first] = schemas;
      const type = union(schemas.map((schema) => this.of(schema, way, kind)));
      const isOptional = each.some((schema) => needOf(schema, name) !== "required");
      const said = comment(first && descriptionOf(first));
      const mark = isOptional ? "?" : "";
      const absent = isOptional && way === "request" ? " | undefined" : "";
      return `${said}${codeText(propertyKey(name))}${mark}: ${type}${absent};`;
    });
    const text = objectText(members);
    this.#members.set(text, members);
    return text;
  }
}

/** On one line where it fits: who lays it out keeps objects apart that begin on the next. */
function objectText(members: readonly string[]): string {
  return members.some((member) => member.startsWith("/**"))
    ? `{\n${members.join("\n")}\n}`
    : `{ ${members.join(" ")} }`;
}

/** What stands in types where the realm's configuration decides. */
const ofRealm = {
  role: `R["role"]`,
  organizationRole: `R["organizationRole"]`,
  teamRole: `R["teamRole"]`,
  profile: `R["profile"]`,
  profilePatch: `MergePatch<R["profile"]>`,
  memberProfile: `R["memberProfile"]`,
  scopes: "KeyScopes<R>",
  tokenScopes: "KeyScopes<R> & { admin?: readonly AdministrationArea[] | undefined }",
} as const satisfies Record<NonNullable<PlainSchema["realm"]>, string>;

/** Members that only some of them have, or need. */
export function varyingMembers(each: readonly PlainSchema[]): ReadonlySet<string> {
  const names = new Set(each.flatMap(({ properties = {} }) => Object.keys(properties)));
  return new Set([...names].filter((name) => new Set(each.map((schema) => needOf(schema, name))).size > 1));
}

function needOf(
  { properties, required = [] }: PlainSchema,
  name: string,
): "none" | "some" | "required" | "optional" {
  const member = properties?.[name];
  if (member === undefined) return "none";
  if (!isNamed(member) && member.when !== undefined) return "some";
  return required.includes(name) ? "required" : "optional";
}

/** What clients call it. */
function nameOf(schema: Schema, each: readonly PlainSchema[]): string | undefined {
  const [first] = each;
  if (first?.client !== undefined) return first.client;
  const members = Math.max(...each.map(({ properties = {} }) => Object.keys(properties).length));
  return isNamed(schema) && members > mostInPlace ? schema.named : undefined;
}

function descriptionOf(schema: Schema): string | undefined {
  return isNamed(schema) ? variants(schema.schema)[0]?.description : schema.description;
}

/** A documentation comment in lines that one can read. */
export function comment(text: string | undefined): string {
  if (text === undefined) return "";
  return codeText(docComment(text.match(/\S.{0,99}(?= |$)/g)?.join("\n") ?? ""));
}

function union(types: readonly string[]): string {
  const each = new Set(types);
  if (each.has("boolean")) for (const side of ["true", "false"]) each.delete(side);
  return [...each].join(" | ");
}

function literalText(value: Literal): string {
  return codeText(literal(value));
}
