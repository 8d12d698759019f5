/** Whether one subject may match both; each is a valid subject or pattern. */
export function overlap(one: string, other: string): boolean {
  const first = one.split("/");
  const second = other.split("/");
  for (let i = 0; i < Math.min(first.length, second.length); i++) {
    const segments = [first[i], second[i]];
    if (segments.includes("**")) return true;
    if (first[i] !== second[i] && !segments.includes("*")) return false;
  }
  return first.length === second.length;
}
