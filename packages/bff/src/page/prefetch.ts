/** Programs that open a link to show a card of it; named as they name themselves. */
const PREVIEWERS =
  /bot\b|crawler|spider|preview|facebookexternalhit|facebot|whatsapp|telegrambot|slack-imgproxy|slackbot|discordbot|twitterbot|linkedinbot|skypeuripreview|viber|embedly|pinterest|redditbot|googlebot|bingbot|applebot|iframely|mastodon|pleroma|bluesky|cardyb|google-read-aloud|headlesslinkcheck|safelinks|mimecast|proofpoint|barracuda|curl\/|wget\//i;

/** Whether a page is opened by nobody: fetched ahead, or by a program that shows previews. It must change nothing then. */
export function isLookedAhead(headers: { get(name: string): string | null }): boolean {
  const purpose = `${headers.get('purpose') ?? ''} ${headers.get('sec-purpose') ?? ''} ${headers.get('x-purpose') ?? ''} ${headers.get('x-moz') ?? ''}`;
  return /prefetch|prerender|preview/i.test(purpose) || PREVIEWERS.test(headers.get('user-agent') ?? '');
}
