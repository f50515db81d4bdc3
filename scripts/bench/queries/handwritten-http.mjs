// What the hand-written servers of the query benchmark share, whatever they store in: how answers are sent.
import { hash } from "node:crypto";

/** @param shown what the answer changes with */
export function send(request, reply, shown, body, extra = {}) {
  const tag = `W/"${hash("sha1", shown, "base64url")}"`;
  reply
    .header("content-type", "application/json; charset=utf-8")
    .header("cache-control", "private, no-cache")
    .header("vary", "Origin, Authorization")
    .header("x-request-id", request.id)
    .header("etag", tag)
    .headers(extra);
  if (request.headers["if-none-match"] === tag) return reply.code(304).removeHeader("content-type").send();
  reply.send(body);
}

/** Of one row more than are shown, if there are more. */
export function page(request, reply, rows, limit, { texts, cursor, total, extra } = {}) {
  const more = rows.length > limit;
  if (more) rows.pop();
  const last = rows[rows.length - 1];
  const next = more ? (cursor ?? ((row) => `${row.created_at},${row.id}`))(last) : undefined;
  const shown = rows.reduce(
    (text, { id, version }) => `${text}${id} ${version}\n`,
    `${more},${next},${total}`,
  );
  const items = (texts ?? rows.map((row) => row.body)).slice(0, rows.length).join(",");
  const nextText = next === undefined ? "" : `,"next_cursor":"${Buffer.from(next).toString("base64url")}"`;
  const count = total === undefined ? "" : `,"total":${total}`;
  send(
    request,
    reply,
    shown,
    `{"items":[${items}],"limit":${limit},"skip":0,"has_more":${more}${nextText}${count}}`,
    extra,
  );
}
