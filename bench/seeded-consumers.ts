export function consumerName(index: number): string {
  return `consumer-${String(index).padStart(7, "0")}`;
}

/** 500 consumers are pilots however many there are, and half of all have the gold plan. */
export function consumerTags(index: number, count: number): Record<string, string> {
  const isPilot = index % (count / 500) === 0;
  return { plan: index % 2 === 0 ? "gold" : "free", cohort: isPilot ? "pilot" : "everyone" };
}
