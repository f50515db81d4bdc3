export const word: number = "hello";
