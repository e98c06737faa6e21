// The compiler holds the functions to their declarations in rheo.h: each pair below has to be of one type.

import CRheo

private func same<Function>(_ declared: Function, _ defined: Function) {}

/// Never called.
private func checkHeader() {
  same(rheo_version, version)
  same(rheo_processor, processor)
  same(rheo_free, freeMemory)
  same(rheo_flow_create, flowCreate)
  same(rheo_flow_estimate, flowEstimate)
  same(rheo_flow_append, flowAppend)
  same(rheo_flow_reset, flowReset)
  same(rheo_flow_free, flowFree)
  same(rheo_flow_read, flowRead)
  same(rheo_flow_write, flowWrite)
  same(rheo_flow_evaluate, flowEvaluate)
  same(rheo_register, register)
  same(rheo_warp, warp)
  same(rheo_renderer_create, rendererCreate)
  same(rheo_renderer_size, rendererSize)
  same(rheo_renderer_draw, rendererDraw)
  same(rheo_renderer_free, rendererFree)
  same(rheo_detector_create, detectorCreate)
  same(rheo_detector_append, detectorAppend)
  same(rheo_detector_append_planes, detectorAppendPlanes)
  same(rheo_detector_finish, detectorFinish)
  same(rheo_detector_free, detectorFree)
  same(rheo_tracker_create, trackerCreate)
  same(rheo_tracker_add_box, trackerAddBox)
  same(rheo_tracker_add_point, trackerAddPoint)
  same(rheo_tracker_append, trackerAppend)
  same(rheo_tracker_finish, trackerFinish)
  same(rheo_tracker_tracks, trackerTracks)
  same(rheo_tracker_free, trackerFree)
  same(rheo_stabilizer_create, stabilizerCreate)
  same(rheo_stabilizer_append, stabilizerAppend)
  same(rheo_stabilizer_finish, stabilizerFinish)
  same(rheo_stabilizer_next, stabilizerNext)
  same(rheo_stabilizer_free, stabilizerFree)
}
