import { expect, test } from "bun:test";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { MailFolder } from "./mail-folder.ts";
import { composed } from "./message.ts";

test("mail is written to a text file that only its owner can read", async () => {
  const parent = await temporaryFolder("mail");
  const folder = join(parent.path, "new/mail");
  const sender = new MailFolder({ folder, from: "no-reply@localhost" });
  const link = { label: "Sign in", url: "https://acme.example/sign-in#secret" };
  const mail = composed("Acme", { subject: "Your link", lines: ["Hello."], link, notes: [] });
  await sender.send("jo@acme.example", mail, "mail_1");
  const file = join(folder, "mail_1.txt");
  expect(await readFile(file, "utf8")).toBe(
    "From: Acme <no-reply@localhost>\nTo: jo@acme.example\nSubject: Your link\n\nHello.\n\nSign in:\nhttps://acme.example/sign-in#secret\n",
  );
  expect([(await stat(file)).mode & 0o777, (await stat(folder)).mode & 0o777]).toEqual([0o600, 0o700]);
  await parent.remove();
});
