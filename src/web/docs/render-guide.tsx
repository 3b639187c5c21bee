import { SunMoon } from "lucide-react";
import { renderToStaticMarkup } from "react-dom/server";
import type { DocumentationPage } from "../../client/transport/portal-schema.gen.ts";
import { Button } from "../components/button.tsx";
import { Reference } from "../reference/reference.tsx";
import type { ReferenceApi } from "../reference/reference-api.ts";
import { Frame } from "./frame.tsx";

interface Guide {
  /** The guides and the reference, of which the first has the page. */
  apis: [ReferenceApi, ReferenceApi];
  page: string;
  content: DocumentationPage;
  markdown: string;
}

/** A guide as HTML that is complete without scripts: the build writes it. */
export function renderGuide({ apis, page, content, markdown }: Guide): string {
  const button = <Button icon={SunMoon} kind="quiet" isIcon data-theme-button aria-label="Change the theme" />;
  return renderToStaticMarkup(
    <Frame version={apis[0].version} themeButton={button}>
      <Reference
        apis={apis}
        api={apis[0]}
        page={page}
        loaded={{ data: content, error: null }}
        siteTitle="Tollgate"
        markdown={markdown}
        tryIt={() => null}
      />
    </Frame>,
  );
}
