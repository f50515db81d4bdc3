/** `defaults.ts`: what documents have where creates and replacements leave it out. */
import type { Collection } from "../../compiler/model/model.ts";
import {
  allWithin,
  directlyIn,
  type MemberPreset,
  type Presets,
  presetsOf,
  presetValue,
  reaches,
} from "../../compiler/schema/defaults.ts";
import type { JsonValue } from "../../runtime/json.ts";
import {
  type Code,
  code,
  docComment,
  type EmittedFile,
  emitModule,
  identifier,
  imported,
  importedType,
  join,
  type Literal,
  lines,
  literal,
  propertyKey,
} from "../print/code.ts";
import { Names, pascalCase } from "../print/names.ts";
import { collectionPath, runtime } from "./names.ts";

/** None where the collection applies no defaults. */
export function defaultsModules(collection: Collection): readonly EmittedFile[] {
  const { defaults, schema, realm, database, name } = collection;
  const root = defaults === undefined ? undefined : presetsOf(schema);
  if (root === undefined) return [];
  return [
    emitModule({
      path: `${collectionPath(collection)}/defaults.ts`,
      sources: [`${realm}/${database}/${name}/collection.yaml`, ...schema.files.map((file) => file.path)],
      body: defaultsCode(root),
    }),
  ];
}

/** The functions of a module that exports `withDefaults`. */
export function defaultsCode(root: Presets): Code {
  const shown = new Shown(root);
  const whole = code`${docComment("A document with what it leaves out and has a `default` in the schema, behind what it has.")}export function ${identifier(own)}(document: ${object}): ${object} {
    return ${shown.objectCode(root, identifier("document"))};
  }\n`;
  return lines([whole, ...shown.functions()]);
}

const own = "withDefaults";
const object = importedType("JsonObject", runtime);
const value = importedType("JsonValue", runtime);

/** What is said in more than one place, or inside of itself, is a function. */
class Shown {
  readonly #names = new Map<Presets, string>();
  readonly #taken = new Names();

  constructor(root: Presets) {
    for (const name of [own, "document", "inItems", "inMember", "inObject", "member", "value"])
      this.#taken.claim(name);
    this.#names.set(root, own);
    const counts = new Map<Presets, number>();
    for (const node of allWithin(root))
      for (const inner of directlyIn(node)) counts.set(inner, (counts.get(inner) ?? 0) + 1);
    for (const [node, count] of counts)
      if (node !== root && gives(node) && (count > 1 || isWithinItself(node))) this.#name(node);
  }

  #name(node: Presets): void {
    const [first] = node.parts;
    const segment = first?.at.findLast((step) => !structural.has(step));
    const word = pascalCase(segment ?? first?.path.split("/").at(-1)?.split(".")[0] ?? "");
    const stem = /^[A-Za-z]/.test(word) ? word.charAt(0).toLowerCase() + word.slice(1) : "value";
    this.#names.set(node, this.#taken.claim(`${stem}Defaults`));
  }

  functions(): readonly Code[] {
    return [...this.#names].flatMap(([node, name]) =>
      name === own
        ? []
        : [
            code`function ${identifier(name)}(value: ${value}): ${value} {
              return ${this.#made(node)}(value);
            }\n`,
          ],
    );
  }

  /**
   * An object with its defaults, behind what it has: hence it is spread twice, for the order and for its own values.
   * @param from the object
   */
  objectCode(node: Presets, from: Code): Code {
    const set = [...node.members].flatMap(([name, member]) =>
      member.preset === undefined
        ? []
        : [code`${propertyKey(name)}: ${literal(literalOf(presetValue(member)))}`],
    );
    const changed = [...node.members].flatMap(([name, { inside }]) =>
      gives(inside)
        ? [code`...${imported("inMember", runtime)}(${from}, ${name}, ${this.#change(inside)})`]
        : [],
    );
    const own = code`...${from}`;
    return code`{\n${join([own, ...(set.length === 0 ? [] : [...set, own]), ...changed], code`,\n`)},\n}`;
  }

  /** A function of a value. */
  #change(node: Presets): Code {
    const name = this.#names.get(node);
    if (name === own) return code`${imported("inObject", runtime)}(${identifier(own)})`;
    return name === undefined ? this.#made(node) : identifier(name);
  }

  #made(node: Presets): Code {
    const { items } = node;
    const ofItems =
      items === undefined || !gives(items)
        ? undefined
        : code`${imported("inItems", runtime)}(${this.#change(items)})`;
    const ofObjects = givesObjects(node)
      ? code`${imported("inObject", runtime)}((member) => (${this.objectCode(node, identifier("member"))}))`
      : undefined;
    if (ofItems === undefined || ofObjects === undefined)
      return ofItems ?? ofObjects ?? code`(value) => value`;
    return code`((value) => ${ofItems}(${ofObjects}(value)))`;
  }
}

const structural: ReadonlySet<string> = new Set(["$defs", "properties", "items", "allOf"]);

function hasPresets({ members }: Presets): boolean {
  return [...members.values()].some(({ preset }: MemberPreset) => preset !== undefined);
}

/** Whether a value may be changed by defaults inside of it. */
function gives(node: Presets): boolean {
  return reaches(node, hasPresets);
}

function givesObjects(node: Presets): boolean {
  return hasPresets(node) || [...node.members.values()].some(({ inside }) => gives(inside));
}

function isWithinItself(node: Presets): boolean {
  return directlyIn(node).some((each) => allWithin(each).has(node));
}

function literalOf(value: JsonValue): Literal {
  if (Array.isArray(value)) return value.map((item: JsonValue) => literalOf(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, held]) => (held === undefined ? [] : [[name, literalOf(held)]])),
  );
}
