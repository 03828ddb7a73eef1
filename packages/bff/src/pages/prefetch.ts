/** User agents that fetch a link to show a preview. */
const PREVIEW_AGENTS =
  /bot\b|crawler|spider|preview|facebookexternalhit|facebot|whatsapp|telegrambot|slack-imgproxy|slackbot|discordbot|twitterbot|linkedinbot|skypeuripreview|viber|embedly|pinterest|redditbot|googlebot|bingbot|applebot|iframely|mastodon|pleroma|bluesky|cardyb|google-read-aloud|headlesslinkcheck|safelinks|mimecast|proofpoint|barracuda|curl\/|wget\//i;

/** Whether a request is a prefetch or a link preview. Such a request must not change anything. */
export function isPrefetch(headers: { get(name: string): string | null }): boolean {
  const purpose = `${headers.get('purpose') ?? ''} ${headers.get('sec-purpose') ?? ''} ${headers.get('x-purpose') ?? ''} ${headers.get('x-moz') ?? ''}`;
  return (
    /prefetch|prerender|preview/i.test(purpose) ||
    PREVIEW_AGENTS.test(headers.get('user-agent') ?? '')
  );
}
