import { expect, test } from "bun:test";
import { openTestControlPlane } from "../../test/support/control-plane.ts";
import { followers } from "../core/changes/followers.ts";
import type { ChangeKind } from "../platform/storage/change.ts";
import { openTls } from "./background-services/tls.ts";

/** With all features enabled that follow changes. */
const acme = { TOLLGATE_ACME: "on", TOLLGATE_HTTP_PORT: "0", TOLLGATE_PUBLIC_URL: "https://manage.example.com" };

test("every kind of change has the followers that the catalogue names, and no others", async () => {
  const { foundation, controlPlane, close, ...options } = await openTestControlPlane(acme);
  try {
    openTls(foundation, foundation.config.tls!, { ...options, customHosts: async () => [] });
    await controlPlane.start();

    const kinds = Object.keys(followers) as ChangeKind[];
    const followed = kinds.map((kind) => [kind, foundation.storage.feed.followersOf(kind).toSorted()]);
    expect(followed).toEqual(kinds.map((kind) => [kind, followers[kind].toSorted()]));
  } finally {
    await close();
  }
});
