import { eventFrame, type ServerEvent } from "../http/streams/events.ts";
import type { EndReason } from "../realm/credentials.ts";

/** Why a subscription has to be loaded anew (spec: Realtime stream events 3). */
export type ResetReason =
  | "history_expired"
  | "slow_consumer"
  | "preimage_missing"
  | "config_changed"
  | "access_changed";

/** Names of the events of a stream (spec: Realtime stream events). */
export type EventName = "ready" | "created" | "updated" | "removed" | "reset" | "session_ended" | "reauth";

/** @param token of the position that whoever has taken the event is at */
export function ready(subscriptions: readonly string[], token?: string): string {
  return frame("ready", JSON.stringify({ subscriptions }), token);
}

/**
 * A document that entered, or changed in, a subscription.
 * @param text the document as a read returns it
 */
export function shown(name: "created" | "updated", sub: string, text: string, token?: string): string {
  return frame(name, `{"sub":${JSON.stringify(sub)},"doc":${text}}`, token);
}

/** A document that left a subscription. */
export function removed(sub: string, id: string, version: number, token?: string): string {
  return frame("removed", JSON.stringify({ sub, id, version }), token);
}

export function reset(subs: readonly string[], reason: ResetReason, token?: string): string {
  return frame("reset", JSON.stringify({ subs, reason }), token);
}

export function sessionEnded(reason: EndReason): string {
  return frame("session_ended", JSON.stringify({ reason }));
}

/** @param expires RFC 3339: when the lifetime of the credential was over */
export function reauth(expires: string): string {
  return frame("reauth", JSON.stringify({ expires_at: expires }));
}

export const heartbeat = eventFrame({ comment: "heartbeat" });

/** A position without an event, which clients note. */
export function reached(token: string): string {
  return eventFrame({ id: token });
}

function frame(event: EventName, data: string, id?: string): string {
  return eventFrame({ event, data, id } satisfies ServerEvent);
}
