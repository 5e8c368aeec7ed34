// node page.mjs MODULES REPORT SMALL URL: prints JSON of times in ms, seen in Chromium. The best of three for what is painted; all frames of the timeline.
import {createRequire} from 'node:module';
import {join} from 'node:path';

const [modules, report, small, url] = process.argv.slice(2);
const {chromium} = createRequire(join(modules, '/'))('playwright-core');
const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu']});
const seen = {};

async function painted(name, address, after) {
  let best = null;
  for (let i = 0; i < 3; ++i) {
    const page = await browser.newPage({viewport: {width: 1280, height: 900}});
    await page.goto(address);
    const first = await page.evaluate(() => new Promise((resolve) => {
      const told = (entries) => entries.filter((entry) => entry.name === 'first-contentful-paint').forEach((entry) => resolve(entry.startTime));
      new PerformanceObserver((list) => told(list.getEntries())).observe({type: 'paint', buffered: true});
    }));
    const values = {'first paint': Math.round(first), ...(after ? await after(page) : {})};
    if (!best || values['first paint'] < best['first paint']) best = values;
    await page.close();
  }
  seen[name] = best;
}

await painted('page of frx serve', url);
await painted('report without a timeline', `file://${small}`);
await painted('report with a timeline', `file://${report}`, async (page) => {
  await page.locator('section[data-figure="timeline"]').scrollIntoViewIfNeeded();
  await page.locator('section[data-figure="timeline"] canvas').first().waitFor();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return {'timeline in view': Math.round(await page.evaluate(() => performance.now()))};
});

// Frames while the timeline is dragged and zoomed: 300 of them, and how long the page's own script takes in each.
{
  const page = await browser.newPage({viewport: {width: 1280, height: 900}});
  await page.goto(`file://${report}`);
  const canvas = page.locator('section[data-figure="timeline"] canvas').first();
  await page.locator('section[data-figure="timeline"]').scrollIntoViewIfNeeded();
  await canvas.waitFor();
  await page.waitForTimeout(2000);
  await canvas.click({position: {x: 600, y: 60}});
  const frames = page.evaluate(() => new Promise((resolve) => {
    const times = [];
    let last = performance.now();
    const next = (now) => {
      times.push(now - last);
      last = now;
      times.length < 300 ? requestAnimationFrame(next) : resolve(times.slice(5));
    };
    requestAnimationFrame(next);
  }));
  const box = await canvas.boundingBox();
  const deadline = Date.now() + 6000;
  let done = false;
  frames.then(() => { done = true; });
  for (let i = 0; !done && Date.now() < deadline; ++i) {
    await page.mouse.move(box.x + 300 + (i * 7) % 400, box.y + 60);
    if (i % 4 === 0) await page.mouse.wheel(0, i % 80 < 40 ? -60 : 60);
    if (i % 50 === 10) await page.mouse.down();
    if (i % 50 === 40) await page.mouse.up();
  }
  const times = (await frames).sort((a, b) => a - b);
  const of = (share) => `${times[Math.floor(share * (times.length - 1))].toFixed(1)} ms`;
  seen['frames of the timeline'] = {half: of(0.5), '90 of 100': of(0.9), '99 of 100': of(0.99)};
}
await browser.close();
console.log(JSON.stringify(seen));
