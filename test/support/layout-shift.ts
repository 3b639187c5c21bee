import type { Page } from "playwright-core";

/**
 * Adds up the layout shifts of a page from now on, also after it loads another document, as web vitals do: shifts within 500 ms
 * of an input are not counted.
 */
export async function watchLayoutShift(page: Page): Promise<void> {
  await page.addInitScript(observe);
  await page.evaluate(observe);
}

/** The cumulative layout shift of the current document, without windows of sessions: an upper bound of the metric. */
export async function layoutShift(page: Page): Promise<number> {
  return (await page.evaluate("window.layoutShiftSum ?? 0")) as number;
}

const observe = `(() => {
  if (window.layoutShiftSum !== undefined) return;
  window.layoutShiftSum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.layoutShiftSum += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
})()`;
