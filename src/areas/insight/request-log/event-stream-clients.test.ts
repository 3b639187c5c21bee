import { expect, test } from "bun:test";
import type { Body } from "../../../platform/http1/message/body.ts";
import { EventStreamClients, type FollowedEvent } from "./event-stream-clients.ts";

function following(accountSeq: number) {
  const state = { mayRead: true, listeners: 0, receive: (_: FollowedEvent[]) => {} };
  return {
    state,
    options: {
      accountSeq,
      listen: async (receive: (events: FollowedEvent[]) => void) => {
        state.receive = receive;
        state.listeners += 1;
        return () => {
          state.listeners -= 1;
        };
      },
      leftOut: ({ successes, failures }: { successes: number; failures: number }) => `left ${successes} ${failures};`,
      mayRead: async () => state.mayRead,
    },
  };
}

const rejected = { code: "too_many_followers", status: 429, retryAfterSeconds: 30 };

test("an account has at most 100 followers, a process 500, and one that leaves makes room", async () => {
  const followers = new EventStreamClients();
  const open: Body[] = [];
  for (let account = 1; account <= 5; account++)
    for (let count = 0; count < 100; count++) open.push(await followers.follow(following(account).options));
  await expect(followers.follow(following(1).options)).rejects.toMatchObject(rejected);
  await expect(followers.follow(following(6).options)).rejects.toMatchObject(rejected);
  open[0]!.cancel();
  await followers.follow(following(1).options);
  await expect(followers.follow(following(6).options)).rejects.toMatchObject(rejected);
  followers.closeAll();
});

test("a follower that cannot be started leaves nothing behind", async () => {
  const followers = new EventStreamClients();
  const { options } = following(1);
  const failing = { ...options, listen: () => Promise.reject(new Error("away")) };
  for (let count = 0; count <= 100; count++) await expect(followers.follow(failing)).rejects.toThrow("away");
  followers.closeAll();
});

test("a slow client gets the first thousand events and a count of the others", async () => {
  const followers = new EventStreamClients();
  const { options, state } = following(1);
  const body = await followers.follow(options);
  // Before anything is read, the body pauses its source.
  const events = Array.from({ length: 1_500 }, (_, index) => ({ text: `${index};`, isFailure: index % 5 === 0 }));
  state.receive(events);
  const chunk = await nextOf(body, "left");
  expect(chunk).toContain("999;left 400 100;");
  followers.closeAll();
  expect(state.listeners).toBe(0);
});

test("a follower that may no longer read gets nothing more", async () => {
  const followers = new EventStreamClients();
  const { options, state } = following(1);
  const body = await followers.follow(options);
  state.mayRead = false;
  state.receive([{ text: "secret;", isFailure: false }]);
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  expect(text).not.toContain("secret");
  expect(state.listeners).toBe(0);
});

/** The output of a body, up to the chunk that contains a text. */
async function nextOf(body: Body, text: string): Promise<string> {
  let all = "";
  for await (const chunk of body) {
    all += Buffer.from(chunk).toString();
    if (all.includes(text)) break;
  }
  return all;
}
