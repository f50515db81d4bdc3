import type { FeedChange } from "../feed/change.ts";
import { kept } from "../kept.ts";

/** What was made of a change for those who are shown the same; it lasts as long as the change. */
export interface Rendered {
  /** The document after it, by the view of it. */
  readonly texts: Map<string, string>;
  /** Its events, by the streams that they are the same for. */
  readonly blocks: Map<string, Buffer>;
}

const rendered = new WeakMap<FeedChange, Rendered>();

export function renderedOf(change: FeedChange): Rendered {
  return kept(rendered, change, () => ({ texts: new Map(), blocks: new Map() }));
}
