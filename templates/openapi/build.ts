import type { OpenAPIV3_1 } from "openapi-types";
import type { Realm } from "../../compiler/model/model.ts";
import { errorDetail, type OperationError } from "../../runtime/contract/errors.ts";
import type { HeaderName } from "../../runtime/contract/headers.ts";
import type { ParameterName } from "../../runtime/contract/parameters.ts";
import { formType } from "../../runtime/http/form-headers.ts";
import { pascalCase } from "../print/names.ts";
import { ErrorResponses } from "./errors.ts";
import { sharedHeaders } from "./headers.ts";
import { Named } from "./named.ts";
import { Parameters } from "./parameters.ts";
import {
  type Embedder,
  embedder,
  type Known,
  ofRealm,
  type RealmSchemas,
  realmSchemas,
} from "./schemas/contracted.ts";
import type { Ref, SchemaPool } from "./schemas/pool.ts";
import type { References } from "./schemas/references.ts";
import type { Shared } from "./shared.ts";

/** Path items by path. */
export type Paths = Record<string, OpenAPIV3_1.PathItemObject>;

/** What the routes of a realm add to while its document is built. */
export class Build {
  readonly realm: Realm;
  readonly schemas: SchemaPool;
  readonly references: References;
  readonly #parts: RealmSchemas;
  /** Schemas of contracts, as far as they are made of no collection. */
  readonly embedder: Embedder;
  readonly parameters: Parameters;
  readonly headers: Shared<OpenAPIV3_1.HeaderObject, HeaderName>;
  readonly errors: ErrorResponses;
  readonly responses = new Named<Response>("responses");
  readonly bodies = new Named<RequestBody>("requestBodies");

  constructor(realm: Realm, schemas: SchemaPool, references: References) {
    this.realm = realm;
    this.references = references;
    this.schemas = schemas;
    this.#parts = realmSchemas(schemas, realm);
    this.embedder = this.schemasOf(ofRealm(realm));
    this.parameters = new Parameters(this.embedder.embed, realm);
    this.headers = sharedHeaders();
    this.errors = new ErrorResponses(
      schemas,
      this.embedder.component(errorDetail),
      this.headers,
      this.responses,
    );
  }

  /** Schemas of contracts, where this is known of the collections that a route is about. */
  schemasOf(known: Known): Embedder {
    return embedder(this.schemas, this.#parts, known);
  }

  /** Path item with the parameters that all its operations share. */
  path(
    parameters: readonly ParameterName[],
    operations: OpenAPIV3_1.PathItemObject,
  ): OpenAPIV3_1.PathItemObject {
    const shared = [...parameters, "RequestId" as const];
    return { parameters: shared.map((name) => this.parameters.use(name)), ...operations };
  }

  operation(description: OperationDescription): Operation {
    const {
      id,
      tag,
      summary,
      about,
      parameters = [],
      body,
      answers,
      errors,
      refusesFreely,
      security,
    } = description;
    return {
      operationId: id,
      tags: [tag],
      summary,
      description: about,
      ...(parameters.length > 0 && { parameters: [...parameters] }),
      ...(body && { requestBody: this.#body(body) }),
      responses: {
        ...Object.fromEntries(
          Object.entries(answers).map(([status, answer]) => [status, this.#answer(status, answer)]),
        ),
        ...this.errors.of(errors, refusesFreely),
      },
      security: [...security],
    };
  }

  #body({ schema, shared, media, form, parts, optional }: Body): Ref | RequestBody {
    const encoding = parts && {
      encoding: Object.fromEntries(
        Object.entries(parts).map(([part, types]) => [part, { contentType: types.join(", ") }]),
      ),
    };
    const body: RequestBody = {
      required: optional !== true,
      content: {
        ...Object.fromEntries(media.map((type) => [type, { schema, ...(type === formType && encoding) }])),
        ...(form && { [formType]: { schema: form, ...encoding } }),
      },
    };
    return shared ? this.bodies.add(schema.$ref.split("/").at(-1) ?? "Body", body) : body;
  }

  #answer(
    status: string,
    { name, description, schema, media = "application/json", headers = {} }: Answer,
  ): Ref | Response {
    const own = Object.entries(headers).map(([header, shared]) => [header, this.headers.use(shared)]);
    const response: Response = {
      description,
      headers: { "X-Request-ID": this.headers.use("X-Request-ID"), ...Object.fromEntries(own) },
      ...(schema && { content: { [media]: { schema } } }),
    };
    // "Deleted." of one thing is that of another.
    const shared = name ?? (status === "204" && own.length === 0 ? pascalCase(description) : undefined);
    return shared === undefined ? response : this.responses.add(shared, response);
  }
}

/**
 * An operation of an `OpenAPIV3_1.PathItemObject`, which wants one that is an operation of OpenAPI 3.0 as well: hence
 * schemas by reference only.
 */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: Ref[];
  requestBody?: Ref | RequestBody;
  responses: Record<string, Ref | Response>;
  security: OpenAPIV3_1.SecurityRequirementObject[];
}

export interface RequestBody {
  required: boolean;
  content: Content;
}

export interface Response {
  description: string;
  headers: Record<string, Ref>;
  content?: Content;
}

type Content = Record<string, { schema: Ref; encoding?: Record<string, { contentType: string }> }>;

export interface OperationDescription {
  /** Wished for; made unique. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** What the summary leaves open. */
  readonly about: string;
  readonly parameters?: readonly Ref[];
  readonly body?: Body;
  /** By status. */
  readonly answers: Readonly<Record<string, Answer>>;
  readonly errors: readonly OperationError[];
  /** It refuses by codes of its own, too. */
  readonly refusesFreely?: true;
  /** The credentials with which it can succeed. */
  readonly security: OpenAPIV3_1.SecurityRequirementObject[];
}

export interface Body {
  readonly schema: Ref;
  /** Whether operations share it, in a component that bears the name of the schema. */
  readonly shared: boolean;
  /** Media types that it may come as. */
  readonly media: readonly string[];
  /** Of a form that it may come as. */
  readonly form?: Ref;
  /** Media types of a form's parts, by name. */
  readonly parts?: Readonly<Record<string, readonly string[]>>;
  /** Whether there may be none. */
  readonly optional?: boolean;
}

export interface Answer {
  /** Of the component in which operations share it. */
  readonly name?: string;
  readonly description: string;
  readonly schema?: Ref;
  /** `application/json` where absent; of `text/event-stream` the schema is that of one event. */
  readonly media?: string;
  /** By the name that they have in the answer. */
  readonly headers?: Readonly<Record<string, HeaderName>>;
}
