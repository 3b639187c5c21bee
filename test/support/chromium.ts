import { userInfo } from "node:os";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findChromium } from "./find-chromium.ts";
import { started, stopped } from "./left-running.ts";
import { PageErrors } from "./page-errors.ts";
import { patiently } from "./slowdown.ts";

/** A page in a real browser, with a record of its requests and errors. */
export interface OpenPage {
  /** Playwright's own page: click, fill, evaluate, waitForSelector, screenshot. */
  readonly page: Page;
  readonly errors: PageErrors;
  readonly requestedUrls: string[];
  close(): Promise<void>;
}

export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const page = await (await browser()).newPage(options);
  page.setDefaultTimeout(patiently(60_000));
  const opened: OpenPage = {
    page,
    errors: new PageErrors(),
    requestedUrls: [],
    async close() {
      stopped(opened);
      // With its context: cookies, storage and cache.
      await page.close();
    },
  };
  started(opened, `Chromium on ${url}`);
  await opened.errors.watch(page);
  page.on("request", (request) => opened.requestedUrls.push(request.url()));
  await page.goto(url);
  return opened;
}

let running: Promise<Browser> | undefined;

/** One for all files of this process, because a start takes as long as several pages. It ends with this process. */
function browser(): Promise<Browser> {
  running ??= launch();
  return running;
}

/** Chromium's own requests would be counted as the page's, and fail without network access. */
const quietly = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--no-first-run",
];

/** Tests leave a page before optimized code pays for its compilation: a tenth of the CPU time. */
const quickly = ["--js-flags=--no-maglev --no-turbofan"];

function launch(): Promise<Browser> {
  const asRoot = userInfo().uid === 0;
  return chromium.launch({
    executablePath: findChromium(),
    chromiumSandbox: !asRoot,
    args: [...quietly, ...quickly],
  });
}
