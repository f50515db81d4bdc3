import { randomInt } from "node:crypto";
import type { Clock } from "./clock.ts";

/** Crockford's base 32 in lower case: no letter that is read as a digit, and in the order of its code points. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Two characters for each number of ten bits. */
const pairs: readonly string[] = Array.from(
  { length: 1024 },
  (_, value) => alphabet.charAt(value >> 5) + alphabet.charAt(value & 31),
);

const highBound = 2 ** 20;
const lowBound = 2 ** 30;

const envelope = /^(?!_|\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/;

/** Whether anything can have this id: every other names nothing. */
export function isId(id: string): boolean {
  return envelope.test(id);
}

const generated = /^[0-9a-hjkmnp-tv-z]{20}$/;

/** Whether it has the form of ids that {@link idGenerator} makes. */
export function isGeneratedId(id: string): boolean {
  return generated.test(id);
}

/** An integer from 0 (included) to `bound` (excluded). */
export type Random = (bound: number) => number;

/**
 * Makes document ids: 20 characters that sort by creation time; 50 bits of milliseconds, then 50 random bits. Within the
 * process each is greater than the one before it, also within a millisecond and when the clock steps back.
 */
export function idGenerator(clock: Clock, random: Random = randomInt): () => string {
  let time = -1;
  let timeText = "";
  let high = 0;
  let low = 0;

  function tick(now: number): void {
    time = now;
    timeText = encode(Math.floor(time / lowBound), 2) + encode(time % lowBound, 3);
    high = random(highBound);
    low = random(lowBound);
  }

  return () => {
    const now = clock.now();
    if (now > time) tick(now);
    else if (++low === lowBound) {
      low = 0;
      if (++high === highBound) tick(time + 1);
    }
    return timeText + encode(high, 2) + encode(low, 3);
  };
}

function encode(value: number, length: 2 | 3): string {
  const rest = pair(value >>> 10) + pair(value);
  return length === 2 ? rest : pair(value >>> 20) + rest;
}

function pair(value: number): string {
  return pairs[value & 1023] ?? "";
}
