import type { Page } from "playwright-core";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { runAxe } from "./axe.ts";
import { type OpenPage, openPage } from "./chromium.ts";
import { sqlite } from "./engines.ts";
import { type ServerOptions, startServer, type TestServer } from "./server.ts";
import { adminToken } from "./server-settings.ts";
import { patiently } from "./slowdown.ts";
import { until } from "./until.ts";

/** The console of a real server in a real browser. The pages do not depend on the engine. */
export interface OpenConsole extends OpenPage {
  server: TestServer;
  /** Opens a page of the console, by its path below /console. */
  show(path: string): Promise<void>;
  /** Opens a page like a link of the console, without the data that it has received before: a third of the CPU time of `show`. */
  visit(path: string): Promise<void>;
  signIn(token?: string): Promise<void>;
  /** Ends the session as its expiry would: the page notices with its next request. */
  loseSession(): Promise<void>;
}

export async function openConsole(options?: ServerOptions): Promise<OpenConsole> {
  // The console shows previews of portals.
  await buildWebIfOutdated(["console", "portal"]);
  const server = await startServer(sqlite, options);
  const signInUrl = `${server.url}/console/sign-in`;
  const opened = await openPage(signInUrl);
  const { page } = opened;
  let isFirstSignIn = true;
  const open = async (how: "push" | "replace", path: string) => {
    const address = JSON.stringify(`/console${path}`);
    await page.evaluate(`left = __TSR_ROUTER__.state.resolvedLocation; __TSR_ROUTER__.history.${how}(${address})`);
    await untilTrue(page, hasLeft);
  };
  return {
    ...opened,
    server,
    show: async (path) => {
      await page.goto(`${server.url}/console${path}`);
      await settled(page);
    },
    visit: async (path) => {
      await page.evaluate(forgetData);
      const isSamePage = new URL(page.url()).pathname === `/console${path.replace(/\?.*/, "")}`;
      // The same page would keep its state, such as an open dialog.
      if (isSamePage) await open("push", "/nothing");
      await open(isSamePage ? "replace" : "push", path);
      await settled(page);
    },
    signIn: async (token = adminToken) => {
      if (!isFirstSignIn || page.url() !== signInUrl) await page.goto(signInUrl);
      isFirstSignIn = false;
      const withToken = page.getByRole("button", { name: "Use a token" });
      await page.locator(".signin form, .signin a").first().waitFor();
      if (await withToken.isVisible()) await withToken.click();
      await page.getByLabel("Token").fill(token);
      await page.click("button[type=submit]");
      await page.waitForSelector(".sidebar");
    },
    loseSession: async () => {
      // A request that is still pending would lead to the sign-in before the test's next step.
      await page.waitForLoadState("networkidle");
      await page.context().clearCookies();
      opened.errors.expect(401);
    },
    close: async () => {
      await opened.close();
      await server.stop();
    },
  };
}

/** Empties the cache of the page's QueryClientProvider. */
const forgetData = `(() => {
  const app = document.getElementById("app");
  let { child } = app[Object.keys(app).find((name) => name.startsWith("__reactContainer"))];
  while (!child.memoizedProps.client) child = child.child;
  child.memoizedProps.client.clear();
})()`;

/** Whether the router of the console has rendered another address. */
const hasLeft = `(({ status, location, resolvedLocation }) =>
  status === "idle" && resolvedLocation !== left && resolvedLocation.href === location.href)(__TSR_ROUTER__.state)`;

const isSettled = `([...document.querySelectorAll("h1, h2")].some((heading) => heading.checkVisibility()) &&
  !document.querySelector("[aria-busy=true], .skeleton"))`;

/**
 * Waits until nothing is loading. Without a locator: Playwright would add its scripts to the page, which takes a sixth of the CPU
 * time of a load.
 */
export async function settled(page: Page): Promise<void> {
  await untilTrue(page, isSettled);
}

/** Evaluated from outside: the page's content security policy forbids eval. */
async function untilTrue(page: Page, expression: string): Promise<void> {
  const isTrue = () =>
    page.evaluate(expression).catch((error: Error) => {
      // The page was left for another one, as by a redirect.
      if (!error.message.includes("context was destroyed")) throw error;
    });
  await until(async () => (await isTrue()) === true, { what: () => expression });
}

/** The violations of accessibility rules, each with its elements, in the current theme. */
export function accessibilityProblems(page: Page): Promise<string[]> {
  return lasting(page, () => violations(page));
}

/** Without the transitions of colours, which are not checked. */
const switchTheme = (theme: string) => `(() => {
  const still = new CSSStyleSheet();
  still.replaceSync("*, ::before, ::after { transition: none !important }");
  document.adoptedStyleSheets.push(still);
  document.documentElement.dataset.theme = "${theme}";
  document.body.getBoundingClientRect();
  document.adoptedStyleSheets.pop();
})()`;

/** The violations in both themes. */
export async function accessibilityProblemsOfThemes(page: Page): Promise<{ light: string[]; dark: string[] }> {
  const useTheme = (theme: string) => page.evaluate(switchTheme(theme));
  await useTheme("light");
  const light = await accessibilityProblems(page);
  await useTheme("dark");
  return { light, dark: await lasting(page, () => violations(page, "colours")) };
}

/** Elements that do not fit the window: a page that scrolls sideways, and elements outside of it or of a dialog. */
export function misfits(page: Page): Promise<string[]> {
  return lasting(page, async () => (await page.evaluate(findMisfits)) as string[]);
}

/** What is wrong with a page: violations of accessibility rules in both themes, and misfits in a window as narrow as a phone. */
export async function pageProblems(page: Page): Promise<Record<string, string[]>> {
  const themes = await accessibilityProblemsOfThemes(page);
  await page.setViewportSize(phone);
  const narrow = await misfits(page);
  await page.setViewportSize(desktop);
  return Object.fromEntries(Object.entries({ ...themes, narrow }).filter(([, problems]) => problems.length > 0));
}

export const phone = { width: 360, height: 780 };
export const desktop = { width: 1280, height: 860 };

/** Repeats a check that finds something for a while: an element may still be loading or moving. */
async function lasting(page: Page, find: () => Promise<string[]>): Promise<string[]> {
  const deadline = performance.now() + patiently(10_000);
  for (;;) {
    // Elements are transparent during their animation.
    await untilTrue(page, "document.getAnimations().every(({ playState }) => playState !== 'running')");
    const found = await find();
    if (found.length === 0 || performance.now() >= deadline) return found;
    await Bun.sleep(100);
  }
}

async function violations(page: Page, scope?: "colours"): Promise<string[]> {
  return (await runAxe(page, scope)).map(({ id, places }) => `${id}: ${places.join(", ")}`);
}

const findMisfits = `(() => {
  const found = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push("the page is " + scrollWidth + " px wide");
  const isClipped = (element) => {
    for (let outer = element.parentElement; outer && outer !== document.body; outer = outer.parentElement)
      if (getComputedStyle(outer).overflowX !== "visible") return true;
    return false;
  };
  const nameOf = (element) => element.tagName.toLowerCase() + "." + element.className;
  for (const tab of document.querySelectorAll(".tabs-list [aria-selected=true]")) {
    const [{ left, right }, list] = [tab.getBoundingClientRect(), tab.closest(".tabs-list").getBoundingClientRect()];
    if (left < list.left - 1 || right > list.right + 1) found.push("the tab " + tab.textContent + " is cut off");
  }
  for (const element of document.querySelectorAll("body *")) {
    const { left, right, top, bottom, width } = element.getBoundingClientRect();
    if (width < 2 || element.closest(".visually-hidden")) continue;
    if ((left < -1 || right > innerWidth + 1) && !isClipped(element)) found.push(nameOf(element) + " sticks out");
    if (!element.matches(".dialog, .panel, .dialog-body, .panel-body")) continue;
    if (element.scrollWidth > element.clientWidth + 1) found.push(nameOf(element) + " scrolls sideways");
    if (element.matches(".dialog, .panel") && (top < 0 || bottom > innerHeight + 1)) found.push(nameOf(element) + " is too tall");
  }
  return found;
})()`;
