import {
  Ajv2020,
  type ErrorObject,
  type FuncKeywordDefinition,
  type Options,
  type ValidateFunction,
} from "ajv/dist/2020.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import { formats } from "../../runtime/validation/formats.ts";
import { isMultipleOf } from "../../runtime/validation/multiples.ts";
import { parsed, type Wire, wireOf } from "./wire.ts";

type Valid = (value: unknown) => boolean;

/** An operation of an OpenAPI document, with its references followed. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** `/v1/helpdesk/support/tickets/{id}`. */
  readonly path: string;
  readonly query: readonly Parameter[];
  /** Names of the headers that it takes, in lower case. */
  readonly headers: readonly string[];
  /** The schema of what it answers with 200. */
  readonly response: JsonObject | undefined;
  /** By media type; empty where no body is described. */
  readonly bodies: ReadonlyMap<string, Body>;
  /** By what they are described for: a status, a range such as `4XX`, or `default`. */
  readonly responses: ReadonlyMap<string, Response>;
  /** Names of the schemes that do alone; `anonymous` for none at all. */
  readonly security: readonly string[];
}

export interface Parameter {
  readonly name: string;
  /** Its references are followed on top only. */
  readonly schema: JsonObject;
  readonly examples: readonly JsonValue[];
  readonly write: Wire["write"];
  /** Whether a text stands for a value that fits the schema. */
  readonly valid: (text: string) => boolean;
}

export interface Body {
  readonly schema: JsonObject;
  readonly valid: Valid;
}

export interface Response {
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, { readonly required: boolean; readonly valid: Valid }>;
  /** What is wrong with a body, or with an event of a stream, first, if anything is. Absent: the answer has no body. */
  readonly fault?: (body: JsonValue | undefined) => ErrorObject | undefined;
  /** Its body is an event stream. */
  readonly streams: boolean;
  /** Its body is any bytes. */
  readonly free: boolean;
  /** Of errors: those that the operation answers with this status. */
  readonly codes: readonly string[];
}

/** What an operation says of answers with a status: of that, of its range, or of all others. */
export function responseTo({ responses }: Operation, status: number): Response | undefined {
  return (
    responses.get(String(status)) ??
    responses.get(`${Math.floor(status / 100)}XX`) ??
    responses.get("default")
  );
}

/** Of decimals; ajv's own is of doubles. */
const multiples: FuncKeywordDefinition = {
  keyword: "multipleOf",
  type: "number",
  schemaType: "number",
  validate: (divisor: number, value: number) => isMultipleOf(value, divisor),
};

/** To compile soon: a document has hundreds of schemas, and a test asks each a few times. */
const settings: Options = {
  strict: false,
  formats,
  // One that others name is compiled once, not inside of each of them.
  inlineRefs: false,
  code: { optimize: false },
  // Other tests hold whole documents against the specification of OpenAPI.
  validateSchema: false,
  addUsedSchema: false,
};

/** A realm's OpenAPI document, made ready to hold requests and answers against it. */
export class Description {
  static readonly #known = new WeakMap<RealmModule, Description>();
  readonly operations: readonly Operation[];
  readonly #document: JsonObject;
  readonly #ajv = new Ajv2020(settings).removeKeyword("multipleOf").addKeyword(multiples);
  /** By the schema as JSON: most errors are described alike by many operations. */
  readonly #compiled = new Map<string, ValidateFunction>();

  /** It is read once for all test files of a worker. */
  static of(realm: RealmModule): Description {
    const { openapi } = realm.definition;
    if (openapi === undefined) throw new Error("the realm shows no description");
    const description = Description.#known.get(realm) ?? new Description(openapi.document);
    Description.#known.set(realm, description);
    return description;
  }

  constructor(document: JsonObject) {
    this.#document = document;
    this.#ajv.addSchema({ ...document, $id: "document" });
    this.operations = Object.entries(object(document["paths"])).flatMap(([path, item]) =>
      Object.entries(object(item))
        .filter(([method]) => method !== "parameters")
        .map(([method, operation]) => this.#operation(path, method, object(operation), object(item))),
    );
  }

  /** What a `$ref` names, or the value itself. */
  follow(value: JsonValue | undefined): JsonObject {
    const found = object(value);
    if (typeof found["$ref"] !== "string") return found;
    let target: JsonValue | undefined = this.#document;
    for (const name of found["$ref"].split("/").slice(1)) target = object(target)[name];
    return this.follow(target);
  }

  #operation(path: string, method: string, operation: JsonObject, item: JsonObject): Operation {
    const parameters = [...array(item["parameters"]), ...array(operation["parameters"])].map((parameter) =>
      this.follow(parameter),
    );
    const body = operation["requestBody"];
    const content = body === undefined ? {} : object(this.follow(body)["content"]);
    const responses = object(operation["responses"]);
    return {
      id: String(operation["operationId"]),
      method: method.toUpperCase(),
      path,
      query: parameters
        .filter((parameter) => parameter["in"] === "query")
        .map((each) => this.#parameter(each)),
      headers: parameters
        .filter((parameter) => parameter["in"] === "header")
        .map(({ name }) => String(name).toLowerCase()),
      bodies: new Map(Object.entries(content).map(([media, type]) => [media, this.#body(object(type))])),
      responses: new Map(
        Object.entries(responses).map(([status, response]) => [
          status,
          this.#response(this.follow(response)),
        ]),
      ),
      response: responses["200"] === undefined ? undefined : schemaIn(this.follow(responses["200"])),
      security: array(operation["security"]).map((each) => Object.keys(object(each))[0] ?? "anonymous"),
    };
  }

  #parameter(parameter: JsonObject): Parameter {
    const { name, schema = schemaIn(parameter), examples = {} } = parameter;
    const wire = wireOf(parameter, (each) => this.follow(each));
    const valid = this.#validator(object(schema));
    return {
      name: String(name),
      schema: this.follow(schema),
      examples: Object.values(object(examples)).flatMap((each) => object(each)["value"] ?? []),
      write: wire.write,
      valid: (text) => {
        const value = wire.read(text);
        return value !== undefined && valid(value);
      },
    };
  }

  #body({ schema }: JsonObject): Body {
    return { schema: object(schema), valid: this.#validator(object(schema)) };
  }

  #response(response: JsonObject): Response {
    const described = Object.entries(object(response["headers"] ?? {})).map(([name, reference]) => {
      const { required = false, schema } = this.follow(reference);
      const { type } = object(schema);
      const valid = this.#validator(object(schema));
      const read = (value: unknown) => (type === "string" ? value : parsed(String(value)));
      return [
        name.toLowerCase(),
        { required: required === true, valid: (value: unknown) => valid(read(value)) },
      ] as const;
    });
    const schema = schemaIn(response);
    const content = object(response["content"] ?? {});
    return {
      headers: new Map(described),
      ...(schema !== undefined && { fault: this.#faultFinder(schema) }),
      streams: "text/event-stream" in content,
      free: anything in content,
      codes: schema === undefined ? [] : codesIn(schema),
    };
  }

  /** Compiled when it is needed first: a document has hundreds of schemas, most tests need a few. */
  #validator(schema: JsonObject): Valid {
    let validate: ValidateFunction | undefined;
    return (value) => {
      validate ??= this.#compile(schema);
      return validate(value);
    };
  }

  #faultFinder(schema: JsonObject): NonNullable<Response["fault"]> {
    let validate: ValidateFunction | undefined;
    return (body) => {
      validate ??= this.#compile(schema);
      return validate(body) ? undefined : validate.errors?.[0];
    };
  }

  #compile(schema: JsonObject): ValidateFunction {
    const absolute = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
    const known = this.#compiled.get(absolute) ?? this.#ajv.compile(object(JSON.parse(absolute)));
    this.#compiled.set(absolute, known);
    return known;
  }
}

/** The media type of what may be any bytes. */
export const anything = "*/*";

/** The codes that an error response's schema lists, be it beside others. */
function codesIn(schema: JsonObject): readonly string[] {
  const lists = /"code":\{"type":"string",(?:"anyOf":\[\{)?"enum":(\[.*?\])/g;
  return [...JSON.stringify(schema).matchAll(lists)].flatMap(([, list = "[]"]): string[] => JSON.parse(list));
}

/** The schema of what a parameter or a response holds, in whatever its one media type is. */
function schemaIn({ content }: JsonObject): JsonObject | undefined {
  const [held] = content === undefined ? [] : Object.values(object(content));
  return held === undefined ? undefined : object(object(held)["schema"]);
}

function object(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error(`the document has ${JSON.stringify(value)} where it needs an object`);
}

function array(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
