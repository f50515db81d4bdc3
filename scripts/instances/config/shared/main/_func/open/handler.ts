/** Tests answer for it, by what a run is given. */
export default async (): Promise<object> => ({});
