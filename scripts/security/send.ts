import { formHeaders, formOf } from "../../runtime/files/testing/forms.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { isEventStream, textOf } from "../conformance/events.ts";

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  /** Sent as JSON, or as a merge patch. */
  readonly body?: JsonObject;
  /** The same, as it is. */
  readonly text?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** `{}` where there is none, or a stream. */
  readonly body: JsonObject;
  /** The status, and the code of an error: `404 not_found`. */
  readonly outcome: string;
}

export async function send(method: string, url: string, sent: Sent = {}): Promise<Received> {
  const headers = new Headers(sent.headers);
  const text = sent.text ?? (sent.body === undefined ? null : JSON.stringify(sent.body));
  if (text !== null && !headers.has("content-type")) {
    headers.set("content-type", method === "PATCH" ? "application/merge-patch+json" : "application/json");
  }
  if (sent.token !== undefined) headers.set("authorization", `Bearer ${sent.token}`);
  const response = await fetch(url, { method, headers, body: text });
  const received = await textOf(response);
  const value: JsonValue = received === "" || isEventStream(response.headers) ? {} : JSON.parse(received);
  const body = isJsonObject(value) ? value : {};
  const error = isJsonObject(body["error"]) ? ` ${body["error"]["code"]}` : "";
  return {
    status: response.status,
    headers: response.headers,
    text: received,
    body,
    outcome: `${response.status}${error}`,
  };
}

/** A form whose document this is, and that has no files. */
export function formSent(document: JsonObject, headers: Readonly<Record<string, string>> = {}): Sent {
  const bytes = JSON.stringify(document);
  const text = formOf([{ headers: 'name="document"', bytes }]).toString();
  return { headers: { ...headers, ...formHeaders }, text };
}

/** The paths of an error's details. */
export function pathsOf({ body }: Received): readonly string[] {
  const error = isJsonObject(body["error"]) ? body["error"] : {};
  const details = Array.isArray(error["details"]) ? error["details"] : [];
  return details.flatMap((detail) => (isJsonObject(detail) ? [String(detail["path"])] : []));
}
