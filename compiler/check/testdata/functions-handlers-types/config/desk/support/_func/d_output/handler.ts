export default async (input: { id: number }) => ({ closed: input.id > 1 });
