/** Event streams, which have no end that a test could wait for. */
import type { JsonObject } from "../../runtime/json.ts";
import { readBlock } from "../../runtime/realtime/testing/streams.ts";

export const eventStream = "text/event-stream; charset=utf-8";

export function isEventStream(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** The events of whole blocks, as their schema has them; comments and tokens alone are none. */
export function eventsIn(text: string): readonly JsonObject[] {
  return text.split("\n\n").flatMap((block) => {
    const { event, data, id } = readBlock(block);
    if (event === undefined && data === undefined) return [];
    return [
      {
        ...(event !== undefined && { event }),
        ...(data !== undefined && { data }),
        ...(id !== undefined && { id }),
      },
    ];
  });
}

/** The body of an answer; of an event stream its first event, after which it is closed. */
export async function textOf(response: Response): Promise<string> {
  if (!isEventStream(response.headers) || response.body === null) return response.text();
  let text = "";
  // To leave the loop is to cancel the stream.
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const whole = text.slice(0, text.lastIndexOf("\n\n") + 2);
    if (eventsIn(whole).length > 0) return whole;
  }
  return text;
}

/** The stream, of which each event is judged as it comes; it breaks at the first with a fault. */
export function judged(
  body: ReadableStream<Uint8Array>,
  check: (blocks: string) => void,
): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = "";
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        rest += decoder.decode(chunk, { stream: true });
        const end = rest.lastIndexOf("\n\n") + 2;
        if (end > 1) check(rest.slice(0, end));
        if (end > 1) rest = rest.slice(end);
        controller.enqueue(chunk);
      },
    }),
  );
}
