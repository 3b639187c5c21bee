import { useState } from "react";
import type { Tollgate } from "../../../../client/index.ts";
import type { ExampleRequest } from "../../../../lib/text/curl.ts";
import { exampleRequest, isLive } from "../../queries/gateway.ts";
import { useRead, useSession } from "../../queries/session.tsx";

export type Overview = Awaited<ReturnType<Tollgate["overview"]>>;

/** Everything on Home besides analytics. Often while the first steps are taken, or a part is being computed. */
export function useOverview() {
  return useRead(["overview"], (api, { signal }) => api.overview({ signal }), {
    refetchInterval: ({ state: { data } }) =>
      data === undefined ? false : !data.isComplete ? 1000 : data.firstSteps.hasTraffic ? 30_000 : 3000,
  });
}

const few = 10;

/** A request to a live deployment, if one of its routes needs a key. Only editors may read the routes' options. */
export function useExampleRequest(hasDeployment: boolean): ExampleRequest | undefined {
  const { canEdit } = useSession();
  const example = useRead(
    ["example-request", "first"],
    async (api, { signal }): Promise<ExampleRequest | null> => {
      const { data } = await api.deployments.listAll({ limit: few, signal }).page();
      const live = data.find(isLive);
      return (live && (await exampleRequest(api, live, { signal }))) ?? null;
    },
    { enabled: hasDeployment && canEdit },
  );
  return example.data ?? undefined;
}

const dismissedKey = "tollgate-dismissed";

/** The lists and steps of Home that are hidden, by name, in this browser. */
export function useDismissed() {
  const { account } = useSession();
  const key = `${dismissedKey} ${account}`;
  const [names, setNames] = useState<string[]>(() => JSON.parse(localStorage.getItem(key) ?? "[]"));
  return {
    isDismissed: (name: string) => names.includes(name),
    setDismissed: (name: string, isDismissed: boolean) => {
      const next = [...names.filter((each) => each !== name), ...(isDismissed ? [name] : [])];
      localStorage.setItem(key, JSON.stringify(next));
      setNames(next);
    },
  };
}
