import type { RealmDefinition, RealtimeLimits } from "../realm/definition.ts";
import { printSize } from "../units.ts";

/** How the limits are called in realm.yaml and in the environment. */
const names: readonly Name[] = [
  { limit: "maxSubscriptions", key: "max_subscriptions", setting: "SVC_REALTIME_MAX_SUBSCRIPTIONS" },
  {
    limit: "maxStreamsPerCaller",
    key: "max_streams_per_caller",
    setting: "SVC_REALTIME_MAX_STREAMS_PER_CALLER",
  },
  { limit: "maxStreams", key: "max_streams", setting: "SVC_REALTIME_MAX_STREAMS" },
  { limit: "streamsPerSecond", key: "streams_per_second", setting: "SVC_REALTIME_STREAMS_PER_SECOND" },
  { limit: "bufferBytes", key: "buffer_bytes", setting: "SVC_REALTIME_BUFFER_BYTES", print: printSize },
  { limit: "bufferEvents", key: "buffer_events", setting: "SVC_REALTIME_BUFFER_EVENTS" },
];

interface Name {
  readonly limit: keyof RealtimeLimits;
  readonly key: string;
  readonly setting: string;
  readonly print?: (value: number) => string;
}

export function realmLimits(
  instance: RealtimeLimits,
  { realtime = {} }: Pick<RealmDefinition, "realtime">,
): RealtimeLimits {
  return { ...instance, ...realtime };
}

/**
 * What a realm sets above the limits of the instance, which it may only lower (spec: Limits): each a message that names
 * the file and the key. An instance with any must not start.
 */
export function checkRealtimeLimits(
  { name, realtime = {} }: Pick<RealmDefinition, "name" | "realtime">,
  instance: RealtimeLimits,
): readonly string[] {
  return names.flatMap(({ limit, key, setting, print = String }) => {
    const [own, most] = [realtime[limit], instance[limit]];
    if (own === undefined || own <= most) return [];
    return [
      `${name}/realm.yaml: realtime.${key} is ${print(own)}, above the instance's ${setting} of ${print(most)}`,
    ];
  });
}
