export default async () => {
  return { closed: true;
};
