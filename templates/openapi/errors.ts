import type { OpenAPIV3_1 } from "openapi-types";
import { meanings, type OperationError } from "../../runtime/contract/errors.ts";
import type { HeaderName } from "../../runtime/contract/headers.ts";
import { errorStatus } from "../../runtime/errors.ts";
import { kept } from "../../runtime/kept.ts";
import { pascalCase } from "../print/names.ts";
import type { Named } from "./named.ts";
import type { Ref, SchemaPool } from "./schemas/pool.ts";
import type { Shared } from "./shared.ts";

type Response = OpenAPIV3_1.ResponseObject;

/** By status. */
type Responses = Readonly<Record<string, Ref>>;

/** The error responses of operations: one component for every set of codes that some operation answers with a status. */
export class ErrorResponses {
  readonly #responses: Named<Response>;
  readonly #headers: Shared<OpenAPIV3_1.HeaderObject, HeaderName>;
  readonly #envelope: Ref;
  /** By codes, in the order that they were asked for: most operations answer what others do. */
  readonly #known = new Map<string, Responses>();

  /** @param detail the schema of what an error says of one place */
  constructor(
    schemas: SchemaPool,
    detail: Ref,
    headers: Shared<OpenAPIV3_1.HeaderObject, HeaderName>,
    responses: Named<Response>,
  ) {
    this.#headers = headers;
    this.#responses = responses;
    this.#envelope = schemas.add("Error", {
      type: "object",
      required: ["error"],
      properties: {
        error: {
          type: "object",
          required: ["code", "message", "request_id"],
          properties: {
            code: { type: "string", description: "Stable, for programs." },
            message: { type: "string", description: "For people." },
            details: { type: "array", items: detail, minItems: 1 },
            request_id: { type: "string" },
          },
        },
      },
    });
  }

  /** Responses by status for the codes that an operation answers. */
  of(codes: readonly OperationError[], refusesFreely = false): Responses {
    return kept(this.#known, `${codes.join()} ${refusesFreely}`, () => this.#make(codes, refusesFreely));
  }

  #make(codes: readonly OperationError[], refusesFreely: boolean): Responses {
    const byStatus = new Map<number, OperationError[]>();
    for (const code of [...new Set(codes)].sort()) {
      byStatus.set(errorStatus[code], [...(byStatus.get(errorStatus[code]) ?? []), code]);
    }
    const responses = [...byStatus].map(([status, some]) => {
      const isFree = refusesFreely && status < 500;
      const name = isFree ? `${nameOf(some)}OrOwn` : nameOf(some);
      return [String(status), this.#responses.add(name, this.#response(some, isFree))] as const;
    });
    return Object.fromEntries([
      ...responses,
      ...(refusesFreely ? [["4XX", this.#responses.add("Own", this.#response([], true))] as const] : []),
    ]);
  }

  /** @param isFree whether there are others, of the operation's own */
  #response(codes: readonly OperationError[], isFree: boolean): Response {
    const status = codes[0] === undefined ? undefined : errorStatus[codes[0]];
    const known = codes.length > 0 && { enum: [...codes] };
    const told = codes.map((code) => `\`${code}\`: ${meanings[code]}`);
    return {
      description: [...told, ...(isFree ? [ownCodes] : [])].join("\n\n"),
      headers: {
        "X-Request-ID": this.#headers.use("X-Request-ID"),
        ...(status === 416 && { "Content-Range": this.#headers.use("UnsatisfiedRange") }),
        ...(status === 412 && { ETag: this.#headers.use("ETag") }),
        ...(status === 429 && {
          "Retry-After": this.#headers.use(isFree ? "RetryAfterIfKnown" : "RetryAfter"),
        }),
        ...(status === 503 && { "Retry-After": this.#headers.use("RetryAfterIfKnown") }),
      },
      content: {
        "application/json": {
          schema: {
            allOf: [
              this.#envelope,
              {
                type: "object",
                required: ["error"],
                properties: {
                  error: {
                    type: "object",
                    required: ["code"],
                    properties: {
                      code: { type: "string", ...(isFree ? orOwn(known) : known) },
                    },
                  },
                },
              },
            ],
          },
        },
      },
    };
  }
}

/** A function's own code, or one of those. */
function orOwn(known: { enum: OperationError[] } | false) {
  const own = { pattern: "^[a-z][a-z0-9_]*$" };
  return known ? { anyOf: [known, own] } : own;
}

const ownCodes = "Any other code: the function's own.";

/** What many operations answer together has one name. */
const groups: readonly (readonly [name: string, codes: readonly OperationError[]])[] = [
  [
    "BadCreate",
    [
      "invalid_header",
      "invalid_json",
      "invalid_query",
      "org_not_allowed",
      "team_not_allowed",
      "validation_error",
    ],
  ],
  ["BadBody", ["invalid_header", "invalid_json", "invalid_query", "validation_error"]],
  ["BadRequest", ["invalid_header", "invalid_query"]],
];

/** Of the response with these codes: `BadRequestOrInvalidExpand`. */
function nameOf(codes: readonly OperationError[]): string {
  const [group, together] = groups.find(([, some]) => some.every((code) => codes.includes(code))) ?? [];
  const others = codes.filter((code) => !together?.includes(code)).map(pascalCase);
  return [...(group === undefined ? [] : [group]), ...others].join("Or");
}
