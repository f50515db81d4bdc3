import type { RealmDefinition, RealtimeLimits } from "../realm/definition.ts";
import { printSize } from "../units.ts";

/** What the limits are called in realm.yaml, and in the environment behind `SVC_REALTIME_`. */
export const limitKeys = [
  ["maxSubscriptions", "max_subscriptions"],
  ["maxStreamsPerCaller", "max_streams_per_caller"],
  ["maxStreams", "max_streams"],
  ["streamsPerSecond", "streams_per_second"],
  ["bufferEvents", "buffer_events"],
  ["bufferBytes", "buffer_bytes"],
] as const satisfies readonly (readonly [keyof RealtimeLimits, string])[];

/**
 * What a realm sets above the limits of the instance, which it may only lower (spec: Limits): each a message that names
 * the file and the key. An instance with any must not start.
 */
export function checkRealtimeLimits(
  { name, realtime = {} }: Pick<RealmDefinition, "name" | "realtime">,
  instance: RealtimeLimits,
): readonly string[] {
  return limitKeys.flatMap(([limit, key]) => {
    const [own, most] = [realtime[limit], instance[limit]];
    if (own === undefined || own <= most) return [];
    const print = limit === "bufferBytes" ? printSize : String;
    const setting = `SVC_REALTIME_${key.toUpperCase()}`;
    return [
      `${name}/realm.yaml: realtime.${key} is ${print(own)}, above the instance's ${setting} of ${print(most)}`,
    ];
  });
}
