import type { Page, Request } from "playwright-core";
import { settled } from "./console.ts";
import { until } from "./until.ts";

interface Shift {
  value: number;
  startTime: number;
  /** What moved, the largest first. */
  moved: string[];
}

/** What a page's content has moved without input since it was loaded, or since a later time of it: the cumulative layout shift of web.dev/cls. */
export async function layoutShift(page: Page, since = 0): Promise<{ score: number; moved: string[] }> {
  let worst: { score: number; moved: string[] } = { score: 0, moved: [] };
  let window: Shift[] = [];
  const shifts = (await page.evaluate(findShifts)) as Shift[];
  for (const shift of shifts.filter(({ startTime }) => startTime >= since)) {
    const [first, last] = [window[0], window.at(-1)];
    const isNext = first && last && shift.startTime - last.startTime < 1000 && shift.startTime - first.startTime < 5000;
    window = isNext ? [...window, shift] : [shift];
    const score = window.reduce((sum, { value }) => sum + value, 0);
    const moved = window.flatMap((each) => each.moved.map((what) => `${each.value.toFixed(3)} ${what}`));
    if (score > worst.score) worst = { score, moved };
  }
  return worst;
}

const findShifts = `(() => {
  const observer = new PerformanceObserver(() => {});
  observer.observe({ type: "layout-shift", buffered: true });
  const nameOf = (node) => {
    const element = node?.nodeType === 3 ? node.parentElement : node;
    return element ? element.tagName.toLowerCase() + (element.className ? "." + element.className : "") : "a removed element";
  };
  const boxOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  return observer.takeRecords().filter(({ hadRecentInput }) => !hadRecentInput).map(({ value, startTime, sources }) => ({
    value,
    startTime,
    moved: sources.map(({ node, previousRect, currentRect }) => nameOf(node) + ": " + boxOf(previousRect) + " → " + boxOf(currentRect)),
  }));
})()`;

/**
 * Opens addresses in a page whose responses take as long as from another city: placeholders are painted before the content
 * that replaces them. Each is open when it waits for no further response.
 */
export async function slowly(page: Page): Promise<(open: () => Promise<unknown>) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const speed = { downloadThroughput: -1, uploadThroughput: -1 };
  await session.send("Network.emulateNetworkConditions", { offline: false, latency: 50, ...speed });
  const pending = new Set<Request>();
  page.on("request", (request) => pending.add(request));
  // Not when it is finished: some are streams.
  page.on("response", (response) => pending.delete(response.request()));
  page.on("requestfailed", (request) => pending.delete(request));
  return async (open) => {
    pending.clear();
    await open();
    await until(async () => {
      await settled(page);
      if (pending.size > 0) return false;
      // A response may cause another request.
      await page.evaluate(twoFrames);
      return pending.size === 0;
    });
  };
}

const twoFrames = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))";
