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

/* Options of a flow are refused, in these words. */
static void refuse(const char *options, const char *words) {
  rheo_flow *flow = NULL;
  char *error = NULL;
  require(rheo_flow_create(options, &flow, &error) == RHEO_INVALID && flow == NULL, options);
  require(error != NULL && strstr(error, words) != NULL, error);
  rheo_free(error);
}

int main(void) {
  static unsigned char previous[HEIGHT][WIDTH], current[HEIGHT][WIDTH], warped[HEIGHT][WIDTH];
  const double singular[9] = {1, 2, 0, 2, 4, 0, 0, 0, 1};
  rheo_detector *detector = NULL;
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
  require(error != NULL && strstr(error, "unknown option 'sped' (1)") != NULL, "the message does not name the option");
  rheo_free(error);
  refuse("{", "the options are no JSON: line 1: ");
  refuse("[\"threads\"]", "the options are a list: they are an object with algorithm, ");
  refuse("{\"accuracy\": 3}", "option 'accuracy' is 3: it is a text");
  refuse("{\"accuracy\": \"best\"}", "accuracy 'best': it is low, medium, high, very-high");
  refuse("{\"threads\": 1.5}", "option 'threads' is 1.5: it is a whole number");
  refuse("{\"threads\": 1e300}", "option 'threads' is 1e300: it is a whole number");
  refuse("{\"region\": [0, 0, 1, \"a\"]}", "option 'region' is a list: it is a list of numbers");
  refuse("{\"confidence\": 1}", "option 'confidence' is 1: it is true or false");
  refuse("{\"threads\": 1, \"threads\": 2}", "option 'threads' is there twice");
  require(rheo_flow_create("{\"threads\": 2.0, \"region\": null}", &flow, NULL) == RHEO_OK, "2.0 threads are two");
  rheo_flow_free(flow);

  error = NULL;
  require(
      rheo_detector_create(WIDTH, HEIGHT, "{\"zones\":\n{\"zones\": [],\n\"lines\": []}}", &detector, &error) == RHEO_INVALID,
      "an unknown key of zones was taken");
  require(error != NULL && strstr(error, "line 2: the key \"lines\"") != NULL, "the message does not name the key");
  rheo_free(error);
  require(rheo_warp(&first, singular, NULL, warped, NULL) == RHEO_INVALID, "a map without inverse was taken");

  require(rheo_register(&first, &second, "{\"model\": \"translation\"}", &text, NULL) == RHEO_OK, "no registration");
  require(text != NULL && strstr(text, "\"warpTransform\":[") != NULL, "no transform");
  rheo_free(text);
  require(rheo_detector_append(NULL, &first, (rheo_time){0, 1, 25}, &text, NULL) == RHEO_INVALID, "no detector is one");
  return 0;
}
