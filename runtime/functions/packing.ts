/** Inputs, results and headers as messages hold them. */
import type { FunctionInput, Result } from "./invocation.ts";
import type { PackedBytes, PackedInput, PackedResult } from "./messages.ts";

type Headers = Readonly<Record<string, string>>;

/** Bytes of a body that goes as text: more of them are copied faster as they are. */
const asText = 16_384;

const noHeaders = "{}";

export function packInput(input: FunctionInput): PackedInput {
  switch (input.kind) {
    case "webhook": {
      const { kind, method, path, search, headers, body } = input;
      return [kind, method, path, search, JSON.stringify(headers), packBytes(body)];
    }
    case "call":
      return [input.kind, input.input];
    case "trigger":
      return [input.kind, input];
    case "schedule":
      return [input.kind, input.at, input.attempt];
  }
}

export function packResult(result: Result): PackedResult {
  if (result.kind !== "returned") return ["other", result];
  const { value } = result;
  switch (value.kind) {
    case "webhook": {
      const { kind, status, headers, body } = value;
      const isText = typeof body === "string";
      return [kind, status, packHeaders(headers), isText ? body : packBytes(body), isText];
    }
    case "call":
      return [value.kind, value.output];
    case "nothing":
      return ["other", result];
  }
}

export function unpackResult(packed: PackedResult): Result {
  switch (packed[0]) {
    case "webhook": {
      const [kind, status, headers, body, isText] = packed;
      const content = isText && typeof body === "string" ? body : unpackBytes(body);
      return {
        kind: "returned",
        value: { kind, status, headers: unpackHeaders(headers), body: content },
      };
    }
    case "call":
      return { kind: "returned", value: { kind: "call", output: packed[1] } };
    case "other":
      return packed[1];
  }
}

export function packHeaders(headers: Headers): string {
  for (const _ in headers) return JSON.stringify(headers);
  return noHeaders;
}

export function unpackHeaders(packed: string): Headers {
  return packed === noHeaders ? none : JSON.parse(packed);
}

const none: Headers = {};

function packBytes(bytes: Uint8Array): PackedBytes {
  // Of a view all that it is a view of would go.
  if (bytes.byteLength > asText)
    return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

export function unpackBytes(packed: PackedBytes): Uint8Array {
  return typeof packed === "string" ? new Uint8Array(Buffer.from(packed, "latin1")) : packed;
}
