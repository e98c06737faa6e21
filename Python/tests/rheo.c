/* rheo.h from C: a shift is found, and mistakes are told. Ends with 0, or prints what is wrong. */
#include <math.h>
#include <rheo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 96, HEIGHT = 64, SHIFT = 3 };

static void require(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "rheo.c: %s\n", what);
  exit(1);
}

static unsigned char level(int x, int y) {
  return (unsigned char)(128 + 60 * sin(x / 4.0) + 60 * cos(y / 5.0 + x / 23.0));
}

int main(void) {
  static unsigned char previous[HEIGHT][WIDTH], current[HEIGHT][WIDTH];
  static float vectors[HEIGHT][WIDTH][2];
  rheo_image first = {previous, WIDTH, HEIGHT, WIDTH, 1, 0, RHEO_UINT8, RHEO_GRAY};
  rheo_image second = first;
  rheo_flow_output output = {&vectors[0][0][0], NULL, NULL, NULL};
  char *error = NULL, *text = NULL;
  rheo_flow *flow = NULL;
  int x, y;
  double sum = 0;

  for (y = 0; y < HEIGHT; y++)
    for (x = 0; x < WIDTH; x++) {
      previous[y][x] = level(x, y);
      current[y][x] = level(x - SHIFT, y);
    }
  second.data = current;
  require(rheo_version() != NULL && strchr(rheo_version(), '.') != NULL, "no version");

  require(rheo_flow_create("{\"accuracy\": \"high\", \"threads\": 2}", &flow, &error) == RHEO_OK, "no flow");
  require(rheo_flow_estimate(flow, &first, &second, &output, &error) == RHEO_OK, "no estimate");
  for (y = 16; y < HEIGHT - 16; y++)
    for (x = 16; x < WIDTH - 16; x++) sum += vectors[y][x][0];
  sum /= (HEIGHT - 32) * (WIDTH - 32);
  require(fabs(sum - SHIFT) < 0.2, "the shift was not found");

  require(rheo_flow_estimate(flow, &first, NULL, &output, &error) == RHEO_INVALID, "NULL was taken");
  require(error != NULL && strstr(error, "current is NULL") != NULL, "the message does not name the argument");
  rheo_free(error);
  second.height -= 1;
  require(rheo_flow_estimate(flow, &first, &second, &output, NULL) == RHEO_INVALID, "another size was taken");
  second.height += 1;
  output.backward = output.flow;
  require(rheo_flow_estimate(flow, &first, &second, &output, NULL) == RHEO_INVALID, "backward was promised");
  rheo_flow_free(flow);
  rheo_flow_free(NULL);

  error = NULL;
  require(rheo_flow_create("{\"sped\": 1}", &flow, &error) == RHEO_INVALID, "an unknown option was taken");
  require(flow == NULL, "something was made nevertheless");
  require(error != NULL && strstr(error, "unknown option 'sped'") != NULL, "the message does not name the option");
  rheo_free(error);
  require(rheo_flow_create("[", &flow, NULL) == RHEO_INVALID, "text that is no JSON was taken");
  require(rheo_flow_create("{\"threads\": 1.5}", &flow, NULL) == RHEO_INVALID, "half a thread was taken");

  require(rheo_register(&first, &second, "{\"model\": \"translation\"}", &text, NULL) == RHEO_OK, "no registration");
  require(text != NULL && strstr(text, "\"warpTransform\":[") != NULL, "no transform");
  rheo_free(text);
  require(rheo_detector_append(NULL, &first, (rheo_time){0, 1, 25}, &text, NULL) == RHEO_INVALID, "no detector is one");
  return 0;
}
