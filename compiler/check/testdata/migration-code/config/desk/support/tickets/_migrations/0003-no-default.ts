export const forward = () => ({});
