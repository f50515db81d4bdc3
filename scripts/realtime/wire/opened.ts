import type { JsonObject } from "../../../runtime/json.ts";
import { type Answered, type Block, openStream, type Stream, type StreamRequest } from "./requests.ts";

/** A stream that a test looks into. */
export interface Opened {
  readonly stream: Stream;
  /** All that came, in order. */
  readonly blocks: readonly Block[];
  /** Resolves with the first block that is so, among those that came too. */
  first(is: (block: Block) => boolean): Promise<Block>;
  /** The last that came. */
  token(): string;
  cut(): void;
}

/** Opens a stream and waits until it is ready; or answers why there is none. */
export async function opened(url: string, request: StreamRequest): Promise<Opened | Answered> {
  const blocks: Block[] = [];
  const waiting = new Set<() => void>();
  const told = () => {
    for (const tell of waiting) tell();
  };
  let isClosed = false;
  const answer = await openStream(url, request, {
    block(block) {
      blocks.push(block);
      told();
    },
    closed() {
      isClosed = true;
      told();
    },
  });
  if ("status" in answer) return answer;
  const first = (is: (block: Block) => boolean) =>
    new Promise<Block>((resolve, reject) => {
      const look = () => {
        const found = blocks.find(is);
        if (found === undefined && !isClosed) return;
        waiting.delete(look);
        if (found === undefined) reject(new Error("the stream was closed"));
        else resolve(found);
      };
      waiting.add(look);
      look();
    });
  await first(({ event }) => event === "ready");
  return {
    stream: answer,
    blocks,
    first,
    token: () => blocks.findLast(({ id }) => id !== undefined)?.id ?? "",
    cut: () => answer.cut(),
  };
}

/** The body of a request for a stream of these collections. */
export function followingAll(...collections: readonly string[]): JsonObject {
  return { subscriptions: collections.map((collection) => ({ id: collection, db: "main", collection })) };
}
