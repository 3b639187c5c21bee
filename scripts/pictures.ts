/**
 * `npm run pictures`: takes the pictures in docs/pictures of the console and the portal with the demo's data at a fixed
 * time, so that a picture only changes with them. `npm run pictures FOLDER` keeps the data there for the next run, and
 * `npm run pictures FOLDER portal` takes only those whose names begin so. Requires Chromium.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { fill } from "../src/cli/demo-data/fill.ts";
import { Tollgate } from "../src/client/index.ts";
import { readConfig } from "../src/config/config.ts";
import { contentsOf } from "../src/server/maintenance/contents.ts";
import { startServer } from "../src/server/server.ts";
import { openPage } from "../test/support/chromium.ts";
import { settled } from "../test/support/console.ts";
import { MailServer } from "../test/support/mail-server.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { buildWebIfOutdated } from "./web-build.ts";

const pictures = join(import.meta.dir, "../docs/pictures");
/** A Thursday afternoon. */
const until = Date.parse("2026-11-12T15:40:00Z");
const token = "token-of-the-pictures-of-the-console";
const maxBytes = 150_000;
const smtp = new MailServer();

interface Picture {
  name: string;
  path: string;
  theme: "light" | "dark";
  width?: number;
  height?: number;
}

const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 780 };

function picturesOf(deployment: string): Picture[] {
  return [
    { name: "home", path: "/", theme: "light" },
    { name: "home-dark", path: "/", theme: "dark" },
    { name: "home-narrow", path: "/", theme: "light", ...narrow },
    { name: "consumers", path: "/consumers?bucket=customers", theme: "light" },
    { name: "consumers-narrow", path: "/consumers?bucket=customers", theme: "dark", ...narrow },
    { name: "consumer-keys", path: "/consumers/customers/northwind-traders?tab=keys", theme: "light" },
    { name: "consumer-usage", path: "/consumers/customers/blue-door-books?tab=usage", theme: "dark" },
    { name: "subscriptions", path: "/subscriptions", theme: "light" },
    { name: "deployment", path: `/deployments/${deployment}`, theme: "light" },
    { name: "deployment-logs", path: `/deployments/${deployment}?tab=logs`, theme: "dark" },
    { name: "requests", path: "/requests?status=4xx", theme: "light" },
    { name: "webhooks", path: "/webhooks", theme: "dark" },
    { name: "audit-log", path: "/audit-log", theme: "light" },
    { name: "people", path: "/settings?tab=people", theme: "light", height: 720 },
  ];
}

/** Before sign-in. */
const signedOutPictures: Picture[] = [
  { name: "portal-sign-in", path: "/sign-in", theme: "light", width: 800, height: 560 },
];

const portalPictures: Picture[] = [
  { name: "portal-keys", path: "/keys", theme: "light", height: 560 },
  { name: "portal-usage", path: "/usage", theme: "dark", height: 620 },
  { name: "portal-reference", path: "/docs/waybill/operations/createShipment", theme: "light" },
  { name: "portal-guide", path: "/docs/waybill/guides/index", theme: "dark", ...narrow },
];

const isWanted = ({ name }: Picture): boolean => name.startsWith(process.argv[3] ?? "");

const temporary = process.argv[2] === undefined ? await temporaryFolder("pictures") : undefined;
const folder = temporary?.path ?? resolve(process.argv[2]!);
try {
  await buildWebIfOutdated();
  const clock = { now: () => until };
  await smtp.start();
  const config = readConfig({
    TOLLGATE_DATA_DIR: folder,
    TOLLGATE_PORT: "0",
    TOLLGATE_ADMIN_TOKEN: token,
    TOLLGATE_SMTP_URL: smtp.url,
    TOLLGATE_MAIL_FROM: "no-reply@waybill.example",
  });
  if ((await contentsOf(config, clock)).length === 0) {
    console.log("Filling the demo; this takes a minute.");
    const options = { until, weeks: 6, seed: "waybill", traffic: 1, onProgress: () => {}, warn: console.warn };
    await fill(config, options);
  }
  const server = await startServer({ ...config, logLevel: "error" }, { clock });
  try {
    await takeAll(server.url);
  } finally {
    await server.stop();
  }
} finally {
  await smtp.stop();
  await temporary?.remove();
}
process.exit(0);

/** People of the account, and an identity provider of the portal, which the demo does not have. */
async function addPeople(client: Tollgate): Promise<void> {
  const members = [
    { email: "ada@waybill.example", name: "Ada", role: "admin" as const },
    { email: "bo@waybill.example", name: "Bo", role: "editor" as const },
    { email: "cleo@waybill.example", name: "Cleo", role: "billing" as const },
  ];
  const known = (await client.members.list().page()).data.map(({ email }) => email);
  for (const member of members) if (!known.includes(member.email)) await client.members.invite(member);
  const { id: _, url: __, createdOn: ___, updatedOn: ____, ...settings } = await client.portal("customers").get();
  const oidc = { issuer: "https://login.waybill.example", clientId: "portal", clientSecret: "of the pictures" };
  await client.portal("customers").set({ ...settings, signUp: "open", oidc });
}

/** Signs the page in to the portal, as a customer. */
async function enterPortal(page: Page, client: Tollgate): Promise<void> {
  const scopes = ["keys:read", "keys:write", "usage:read", "requests:read", "people:write"] as const;
  const customer = { consumerName: "northwind-traders", subject: "jo@northwind.example", scopes: [...scopes] };
  const { url } = await client.portal("customers").handOff(customer);
  // From another page: the address differs from that of the sign-in page only in its fragment.
  await page.goto("about:blank");
  await page.goto(url);
  await page.waitForSelector(".site-who");
}

async function takeAll(url: string): Promise<void> {
  const client = new Tollgate({ url, token });
  const deployment = (await client.deployments.list("waybill")).find(({ branchName }) => branchName === "main")!;
  await mkdir(pictures, { recursive: true });
  await addPeople(client);
  const { page, close } = await openPage(`${url}/console/sign-in`, { deviceScaleFactor: 1.5 });
  const { page: canvas, close: closeCanvas } = await openPage("about:blank");
  try {
    await page.clock.setFixedTime(until);
    await page.getByRole("button", { name: "Use a token" }).click();
    await page.getByLabel("Token").fill(token);
    await page.click("button[type=submit]");
    await page.waitForSelector(".sidebar");
    const portal = (await client.portal("customers").get()).url;
    const all = [
      ...picturesOf(deployment.name).map((picture) => ({ picture, site: `${url}/console` })),
      ...signedOutPictures.map((picture) => ({ picture, site: portal })),
      ...portalPictures.map((picture) => ({ picture, site: portal })),
    ];
    for (const { picture, site } of all.filter((each) => isWanted(each.picture))) {
      if (picture === portalPictures.find(isWanted)) await enterPortal(page, client);
      const bytes = await asWebp(canvas, await take(page, site, picture));
      if (bytes.length > maxBytes) throw new Error(`${picture.name} has ${bytes.length} bytes.`);
      await writeFile(join(pictures, `${picture.name}.webp`), bytes);
      console.log(`docs/pictures/${picture.name}.webp  ${Math.round(bytes.length / 1000)} kB`);
    }
  } finally {
    await close();
    await closeCanvas();
  }
}

async function take(page: Page, site: string, { path, theme, width, height }: Picture): Promise<Buffer> {
  await page.setViewportSize({ width: width ?? wide.width, height: height ?? wide.height });
  await page.goto(`${site}${path}`);
  await page.evaluate(`localStorage.setItem("tollgate-theme", "${theme}")`);
  await page.reload();
  await settled(page);
  // Charts load a separate script.
  await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => {});
  await page.waitForTimeout(300);
  return page.screenshot();
}

/** Chromium only takes PNGs, which are three times as large. */
async function asWebp(page: Page, png: Buffer): Promise<Buffer> {
  const data = (await page.evaluate(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png.toString("base64")}";
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.82);
  })()`)) as string;
  return Buffer.from(data.slice(data.indexOf(",") + 1), "base64");
}
